import type { Statement, Transaction, Transactor } from '../../domain/ports/database.ts';
import type { GenerationStore, Lease } from '../../domain/ports/generations.ts';
import { ACQUIRE, ADVANCE, COLUMNS, DECISIONS, NOTE_COMPARISON, PAUSE, REFUSE, RELEASE, RENEW, toGeneration } from './generation-rows.ts';
import { executeAlone } from './execute.ts';

const BUILDING_THERE_IS = '23505';
const MAX_REASON_LENGTH = 2000;

/** The parameters $1 to $3 of a statement under a lease. */
const held = ({ generation, owner, token }: Lease) => [generation, owner, token];

/** Generations in PostgreSQL. Every change of a row is one statement; `create` and `drop` are one transaction with their DDL. */
export function createGenerationStore(transactor: Transactor): GenerationStore {
  const run = executeAlone(transactor);
  const one = async (transaction: Transaction, statement: Statement) => {
    const { rows } = await transaction.execute(statement);
    return rows[0] === undefined ? null : toGeneration(rows[0]);
  };
  return {
    async list() {
      const { rows } = await run(`select ${COLUMNS} from civic.generations order by generation`);
      return rows.map(toGeneration);
    },
    create: (projection, purpose, now) =>
      transactor.transaction(async (transaction) => {
        await transaction.execute({
          text: 'insert into civic.projections (name) values ($1) on conflict do nothing',
          values: [projection.name],
        });
        await transaction.execute({ text: 'select from civic.projections where name = $1 for update', values: [projection.name] });
        const state = purpose === 'held' ? 'building' : purpose;
        const wanted = {
          text: `select ${COLUMNS} from civic.generations where projection = $1 and state = $2`,
          values: [projection.name, state],
        };
        const existing = purpose === 'scratch' ? null : await one(transaction, wanted);
        if (existing !== null) return existing;
        if (state === 'building') {
          await transaction.execute({
            text: `update civic.generations set kept_until = null where projection = $1 and state = 'retired'`,
            values: [projection.name],
          });
        }
        const made = await one(transaction, {
          text: `insert into civic.generations (projection, version, state, held, created_at, changed_at) values ($1, $2, $3, $4, $5, $5)
            returning ${COLUMNS}`,
          values: [projection.name, projection.version, state, purpose === 'held', now],
        });
        for (const text of projection.create(made!.generation)) await transaction.execute({ text, values: [] });
        if (purpose === 'live') {
          await transaction.execute({
            text: 'update civic.projections set live_generation = $2 where name = $1',
            values: [projection.name, made!.generation],
          });
        }
        return made!;
      }),
    async acquire(generation, owner, now, leaseMs) {
      const row = await transactor.transaction((transaction) =>
        one(transaction, { text: ACQUIRE, values: [generation, owner, now, leaseMs] }),
      );
      return row === null ? null : { lease: { generation, owner, token: row.token }, row };
    },
    renew: async (lease, leaseUntil) => (await run(RENEW, [...held(lease), leaseUntil])).count === 1,
    async release(lease) {
      await run(RELEASE, held(lease));
    },
    async advance(transaction, lease, { from, to, folded, now, leaseUntil, logId, eventsRead, last, proof }) {
      const mark = last === null ? null : JSON.stringify(last);
      const proven = [proof?.place ?? null, proof?.id ?? null];
      const values = [...held(lease), from, to, folded, leaseUntil, logId, now, eventsRead, ...proven, mark];
      return (await transaction.execute({ name: 'advance_generation', text: ADVANCE, values })).count === 1;
    },
    async lockPair(transaction, building) {
      await transaction.execute({
        text: 'select from civic.projections where name = (select projection from civic.generations where generation = $1) for update',
        values: [building],
      });
      const { rows } = await transaction.execute({
        text: `select ${COLUMNS} from civic.generations
          where projection = (select projection from civic.generations where generation = $1) and state in ('live', 'building')
          order by generation for update`,
        values: [building],
      });
      const pair = rows.map(toGeneration);
      const live = pair.find(({ state }) => state === 'live');
      const next = pair.find(({ generation, state }) => generation === building && state === 'building');
      return live === undefined || next === undefined ? null : { live, building: next };
    },
    async decide(generation, decision, now) {
      try {
        return await transactor.transaction((transaction) =>
          one(transaction, { text: `${DECISIONS[decision]} returning ${COLUMNS}`, values: [generation, now] }),
        );
      } catch (error) {
        if ((error as { code?: string }).code === BUILDING_THERE_IS) return null;
        throw error;
      }
    },
    noteComparison: async (lease, comparison) => (await run(NOTE_COMPARISON, [...held(lease), JSON.stringify(comparison)])).count === 1,
    async switchTo(transaction, live, building, now, keptUntil) {
      await transaction.execute({
        text: `update civic.generations set state = 'retired', owner = null, lease_until = 0, changed_at = $2, kept_until = $3
          where generation = $1`,
        values: [live, now, keptUntil],
      });
      await transaction.execute({
        text: `update civic.generations set state = 'live', changed_at = $2, held = false, accept_differences = false, kept_until = null
          where generation = $1`,
        values: [building, now],
      });
      await transaction.execute({
        text: 'update civic.projections set live_generation = $1 where name = (select projection from civic.generations where generation = $1)',
        values: [building],
      });
    },
    async pause(lease, reason, eventId) {
      await run(PAUSE, [...held(lease), reason.slice(0, MAX_REASON_LENGTH), eventId]);
    },
    async resume(generation) {
      await run('update civic.generations set paused_reason = null, paused_event = null where generation = $1', [generation]);
    },
    refuse: async (lease, reason, now) => (await run(REFUSE, [...held(lease), reason.slice(0, MAX_REASON_LENGTH), now])).count === 1,
    async abandon(generation, now) {
      await run(
        `update civic.generations set state = 'retired', owner = null, lease_until = 0, changed_at = $2
          where generation = $1 and state in ('building', 'scratch')`,
        [generation, now],
      );
    },
    async drop(generation, tables) {
      try {
        return await transactor.transaction(async (transaction) => {
          await transaction.execute({ text: `set local lock_timeout = '100ms'`, values: [] });
          const { count } = await transaction.execute({
            text: `delete from civic.generations where generation = $1 and state in ('retired', 'refused', 'scratch')`,
            values: [generation],
          });
          if (count === 0) return false;
          for (const table of tables) await transaction.execute({ text: `drop table if exists ${table}`, values: [] });
          return true;
        });
      } catch (error) {
        if ((error as { code?: string }).code === '55P03') return false;
        throw error;
      }
    },
  };
}
