import type { Statement, TextRow, Transaction, Transactor } from '../../src/domain/ports/database.ts';
import type { Position } from '../../src/domain/ports/event-log.ts';
import type { Generation, GenerationState, GenerationStore } from '../../src/domain/ports/generations.ts';

const COLUMNS =
  'generation, projection, version, state, log_id, checkpoint, folded, owner, token, lease_until, paused_reason, paused_event, created_at, changed_at';

const toGeneration = (row: TextRow): Generation => ({
  generation: Number(row[0]),
  projection: row[1]!,
  version: Number(row[2]),
  state: row[3] as GenerationState,
  logId: row[4] ?? null,
  checkpoint: row[5] as Position,
  folded: Number(row[6]),
  owner: row[7] ?? null,
  token: Number(row[8]),
  leaseUntil: Number(row[9]),
  pausedReason: row[10] ?? null,
  pausedEvent: row[11] ?? null,
  createdAt: Number(row[12]),
  changedAt: Number(row[13]),
});

const ACQUIRE = `update civic.generations set owner = $2, token = token + 1, lease_until = $3::bigint + $4::bigint
  where generation = $1 and (owner is null or lease_until < $3::bigint) and paused_reason is null and state in ('live', 'building', 'scratch')
  returning ${COLUMNS}`;
const RENEW = `update civic.generations set lease_until = $4
  where generation = $1 and owner = $2 and token = $3 and state in ('live', 'building', 'scratch')`;
const RELEASE = 'update civic.generations set owner = null, lease_until = 0 where generation = $1 and owner = $2 and token = $3';
const ADVANCE = `update civic.generations set checkpoint = $5, folded = folded + $6, lease_until = $7, log_id = coalesce(log_id, $8::uuid)
  where generation = $1 and owner = $2 and token = $3 and checkpoint = $4 and (log_id is null or $8::uuid is null or log_id = $8::uuid)
    and state in ('live', 'building', 'scratch')`;
const PAUSE = `update civic.generations set paused_reason = $4, paused_event = $5::uuid, owner = null, lease_until = 0
  where generation = $1 and owner = $2 and token = $3`;

/** Generations in PostgreSQL. Every change of a row is one statement; `create` and `drop` are one transaction with their DDL. */
export const createGenerationStore = (transactor: Transactor): GenerationStore => {
  const run = (statement: Statement) => transactor.transaction((transaction) => transaction.execute(statement));
  const one = async (transaction: Transaction, statement: Statement) => {
    const { rows } = await transaction.execute(statement);
    return rows[0] === undefined ? null : toGeneration(rows[0]);
  };
  return {
    async list() {
      const { rows } = await run({ text: `select ${COLUMNS} from civic.generations order by generation`, values: [] });
      return rows.map(toGeneration);
    },
    create: (projection, purpose, now) =>
      transactor.transaction(async (transaction) => {
        await transaction.execute({
          text: 'insert into civic.projections (name) values ($1) on conflict do nothing',
          values: [projection.name],
        });
        await transaction.execute({ text: 'select from civic.projections where name = $1 for update', values: [projection.name] });
        const wanted = {
          text: `select ${COLUMNS} from civic.generations where projection = $1 and state = $2`,
          values: [projection.name, purpose],
        };
        const existing = purpose === 'scratch' ? null : await one(transaction, wanted);
        if (existing !== null) return existing;
        const made = await one(transaction, {
          text: `insert into civic.generations (projection, version, state, created_at, changed_at) values ($1, $2, $3, $4, $4) returning ${COLUMNS}`,
          values: [projection.name, projection.version, purpose, now],
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
    renew: async (lease, leaseUntil) =>
      (await run({ text: RENEW, values: [lease.generation, lease.owner, lease.token, leaseUntil] })).count === 1,
    async release(lease) {
      await run({ text: RELEASE, values: [lease.generation, lease.owner, lease.token] });
    },
    advance: async (transaction, lease, { from, to, folded, leaseUntil, logId }) =>
      (
        await transaction.execute({
          name: 'advance_generation',
          text: ADVANCE,
          values: [lease.generation, lease.owner, lease.token, from, to, folded, leaseUntil, logId],
        })
      ).count === 1,
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
    async switchTo(transaction, live, building, now) {
      await transaction.execute({
        text: `update civic.generations set state = 'retired', owner = null, lease_until = 0, changed_at = $2 where generation = $1`,
        values: [live, now],
      });
      await transaction.execute({
        text: `update civic.generations set state = 'live', changed_at = $2 where generation = $1`,
        values: [building, now],
      });
      await transaction.execute({
        text: 'update civic.projections set live_generation = $1 where name = (select projection from civic.generations where generation = $1)',
        values: [building],
      });
    },
    async pause(lease, reason, eventId) {
      await run({ text: PAUSE, values: [lease.generation, lease.owner, lease.token, reason.slice(0, 2000), eventId] });
    },
    async resume(generation) {
      await run({
        text: 'update civic.generations set paused_reason = null, paused_event = null where generation = $1',
        values: [generation],
      });
    },
    async abandon(generation, state, reason, now) {
      await run({
        text: `update civic.generations set state = $2, paused_reason = $3, owner = null, lease_until = 0, changed_at = $4
          where generation = $1 and state in ('building', 'scratch')`,
        values: [generation, state, reason, now],
      });
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
};
