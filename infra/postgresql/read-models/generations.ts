import type { Statement, Transaction, Transactor } from '../../../domain/ports/database.ts';
import type { Generation, GenerationStore } from '../../../domain/ports/generations.ts';
import {
  acquire,
  advance,
  decide,
  FREED,
  GENERATION,
  generationOf,
  type GenerationRow,
  ownedBy,
  renew,
} from './generation-rows.ts';
import { sql, statementsIn, verbatim } from '../connection/statements.ts';

const BUILDING_THERE_IS = '23505';
const LOCKED = '55P03';
const MAX_REASON_LENGTH = 2000;

/** Returns an error handler that resolves to `value` for one SQLSTATE, and rethrows all other errors. */
const unless =
  <Value>(code: string, value: Value) =>
  (error: unknown): Value => {
    if ((error as { code?: string }).code === code) return value;
    throw error;
  };

/** Returns functions that run statements with the columns `GENERATION`. */
function generationsIn(executor: Transactor | Transaction) {
  const { all } = statementsIn(executor);
  const generations = async (statement: Statement): Promise<readonly Generation[]> =>
    (await all<GenerationRow>(statement)).map(generationOf);
  return {
    generations,
    generation: async (statement: Statement): Promise<Generation | null> => (await generations(statement))[0] ?? null,
  };
}

type CreateParameters = Parameters<GenerationStore['create']>;

/** Returns the existing generation of this purpose, or creates one with its tables. */
async function createGeneration(
  transaction: Transaction,
  ...[projection, purpose, now]: CreateParameters
): Promise<Generation> {
  const { run } = statementsIn(transaction);
  const { generation: selectGeneration } = generationsIn(transaction);
  const { name, version } = projection;
  await run(sql`insert into civic.projections (name) values (${name}) on conflict do nothing`);
  await run(sql`select from civic.projections where name = ${name} for update`);
  const state = purpose === 'held' ? 'building' : purpose;
  const selectExisting = sql`select ${GENERATION} from civic.generations where projection = ${name} and state = ${state}`;
  const existing = purpose === 'scratch' ? null : await selectGeneration(selectExisting);
  if (existing !== null) return existing;
  if (state === 'building')
    await run(sql`update civic.generations set kept_until = null where projection = ${name} and state = 'retired'`);
  const created = await selectGeneration(
    sql`insert into civic.generations (projection, version, state, held, created_at, changed_at)
      values (${name}, ${version}, ${state}, ${purpose === 'held'}, ${now}, ${now}) returning ${GENERATION}`,
  );
  const { generation } = created!;
  for (const text of projection.create(generation)) await run(verbatim(text));
  if (purpose === 'live')
    await run(sql`update civic.projections set live_generation = ${generation} where name = ${name}`);
  return created!;
}

/** Stores generations. Every change is one statement. `create` and `drop` share one transaction with their DDL. */
export function createGenerationStore(transactor: Transactor): GenerationStore {
  const { run, changed } = statementsIn(transactor);
  const { generations, generation: firstGeneration } = generationsIn(transactor);
  return {
    list: () => generations(sql`select ${GENERATION} from civic.generations order by generation`),
    create: (projection, purpose, now) =>
      transactor.transaction((transaction) => createGeneration(transaction, projection, purpose, now)),
    async acquire(generation, owner, now, leaseMs) {
      const row = await firstGeneration(acquire(generation, owner, now, leaseMs));
      return row === null ? null : { lease: { generation, owner, token: row.token }, row };
    },
    renew: (lease, leaseUntil) => changed(renew(lease, leaseUntil)),
    async release(lease) {
      await run(sql`update civic.generations set ${FREED} where ${ownedBy(lease)}`);
    },
    advance: (transaction, lease, to) => statementsIn(transaction).changed(advance(lease, to)),
    async lockPair(transaction, building) {
      const within = { ...statementsIn(transaction), ...generationsIn(transaction) };
      const projection = sql`(select projection from civic.generations where generation = ${building})`;
      await within.run(sql`select from civic.projections where name = ${projection} for update`);
      const pair = await within.generations(
        sql`select ${GENERATION} from civic.generations
          where projection = ${projection} and state in ('live', 'building') order by generation for update`,
      );
      const live = pair.find(({ state }) => state === 'live');
      const next = pair.find(({ generation, state }) => generation === building && state === 'building');
      return live === undefined || next === undefined ? null : { live, building: next };
    },
    decide: (generation, decision, now) =>
      firstGeneration(decide(generation, decision, now)).catch(unless(BUILDING_THERE_IS, null)),
    noteComparison: (lease, comparison) =>
      changed(
        sql`update civic.generations set comparison = ${JSON.stringify(comparison)}
          where ${ownedBy(lease)} and state = 'building'`,
      ),
    async switchTo(transaction, live, building, now, keptUntil) {
      const within = statementsIn(transaction);
      await within.run(sql`update civic.generations
        set state = 'retired', ${FREED}, changed_at = ${now}, kept_until = ${keptUntil} where generation = ${live}`);
      await within.run(sql`update civic.generations
        set state = 'live', changed_at = ${now}, held = false, accept_differences = false, kept_until = null
        where generation = ${building}`);
      await within.run(sql`update civic.projections set live_generation = ${building}
        where name = (select projection from civic.generations where generation = ${building})`);
    },
    async pause(lease, reason, eventId) {
      await run(sql`update civic.generations
        set paused_reason = ${reason.slice(0, MAX_REASON_LENGTH)}, paused_event = ${eventId}::uuid, ${FREED}
        where ${ownedBy(lease)}`);
    },
    async resume(generation) {
      await run(
        sql`update civic.generations set paused_reason = null, paused_event = null where generation = ${generation}`,
      );
    },
    refuse: (lease, reason, now) =>
      changed(sql`update civic.generations
        set state = 'refused', held = false, paused_reason = ${reason.slice(0, MAX_REASON_LENGTH)}, ${FREED},
          changed_at = ${now}
        where ${ownedBy(lease)} and state = 'building'`),
    async abandon(generation, now) {
      await run(sql`update civic.generations set state = 'retired', ${FREED}, changed_at = ${now}
        where generation = ${generation} and state in ('building', 'scratch')`);
    },
    drop: (generation, tables) =>
      transactor
        .transaction(async (transaction) => {
          const within = statementsIn(transaction);
          await within.run(sql`set local lock_timeout = '100ms'`);
          const isGone = await within.changed(
            sql`delete from civic.generations
              where generation = ${generation} and state in ('retired', 'refused', 'scratch')`,
          );
          if (isGone) for (const table of tables) await within.run(verbatim(`drop table if exists ${table}`));
          return isGone;
        })
        .catch(unless(LOCKED, false)),
  };
}
