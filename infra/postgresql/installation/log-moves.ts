import type { Transaction, Transactor } from '../../../domain/ports/database.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import {
  type LogMove,
  type LogMoves,
  type PlacePair,
  type PositionColumn,
  StillHeld,
} from '../../../domain/ports/stores.ts';
import { chunksOf } from '../../../plumbing/chunks.ts';
import { leased } from '../leases/leased.ts';
import { sql, statementsIn, verbatim } from '../connection/statements.ts';

const FOLLOWERS = [
  {
    table: verbatim('civic.generations'),
    key: verbatim('generation'),
    name: verbatim('projection'),
    condition: sql`state in ('live', 'building')`,
  },
  {
    table: verbatim('civic.processors'),
    key: verbatim('name'),
    name: verbatim('name'),
    condition: sql`due_at is null`,
  },
] as const;
const PAIRS_AT_ONCE = 10_000;
/** Marks rows that are already moved, because a new position can equal the old one of another row. */
const MOVED = 'moved:';

async function listOwned(executor: Transactor | Transaction, now: number): Promise<readonly string[]> {
  const [generations, processors] = FOLLOWERS.map(
    ({ table, name, condition }) =>
      sql`select ${name} as name from ${table} f where ${leased('f', now)} and ${condition}`,
  );
  const owners = await statementsIn(executor).all<{ name: string }>(sql`${generations!} union ${processors!}`);
  return owners.map(({ name }) => name);
}

interface Follower {
  readonly id: string;
  readonly checkpoint: Position;
  readonly name: string;
}

async function moveCheckpoints(transaction: Transaction, { from, to, places }: LogMove): Promise<void> {
  const { run, all } = statementsIn(transaction);
  for (const { table, key, name, condition } of FOLLOWERS) {
    const followers = await all<Follower>(
      sql`select ${key}::text as id, checkpoint, ${name} as name from ${table}
        where log_id = ${from}::uuid and ${condition}`,
    );
    for (const { id, checkpoint, name: who } of followers) {
      const place = checkpoint === '' ? checkpoint : places.get(checkpoint);
      if (place === undefined)
        throw new Error(`${who} is at ${checkpoint}, where the log has no event; nothing was moved`);
      // A higher token prevents commits of an owner that was suspended.
      await run(sql`update ${table} set checkpoint = ${place}, last_event = null, log_id = ${to}::uuid,
        token = token + 1, owner = null, lease_until = 0 where ${key}::text = ${id}`);
    }
  }
}

async function moveColumn(transaction: Transaction, of: PositionColumn, pairs: readonly PlacePair[]): Promise<void> {
  const { run, first } = statementsIn(transaction);
  const [table, column] = [verbatim(of.table), verbatim(of.column)];
  for (const chunk of chunksOf(pairs, PAIRS_AT_ONCE)) {
    const [sources, targets] = [chunk.map(([source]) => source), chunk.map(([, target]) => target)];
    await run(sql`update ${table} t set ${column} = ${MOVED} || p.target
      from unnest(${sources}::text[], ${targets}::text[]) p(source, target) where t.${column} = p.source`);
  }
  const unmoved = await first<{ place: string }>(
    sql`select ${column} as place from ${table} where not starts_with(${column}, ${MOVED}) limit 1`,
  );
  if (unmoved !== null)
    throw new Error(`${of.table} has ${unmoved.place}, where the log has no event; nothing was moved`);
  await run(sql`update ${table} set ${column} = substr(${column}, ${MOVED.length + 1}::integer)`);
}

/** Moves the checkpoints of read models and reactors to another log, in one transaction. */
export const createLogMoves = (transactor: Transactor): LogMoves => ({
  async checkpoints(identity) {
    const [generations, processors] = FOLLOWERS.map(
      ({ table, condition }) => sql`select checkpoint from ${table} where log_id = ${identity}::uuid and ${condition}`,
    );
    const followers = await statementsIn(transactor).all<Pick<Follower, 'checkpoint'>>(
      sql`${generations!} union ${processors!}`,
    );
    return followers.map(({ checkpoint }) => checkpoint);
  },
  listOwned: (now) => listOwned(transactor, now),
  generations: (identity) =>
    statementsIn(transactor).all(
      sql`select projection, generation from civic.generations
        where log_id = ${identity}::uuid and state in ('live', 'building')`,
    ),
  move: (move) =>
    transactor.transaction(async (transaction) => {
      const { run } = statementsIn(transaction);
      // A process that acquires a lease waits for this transaction and then uses the other log.
      await run(sql`lock table civic.generations, civic.processors in share row exclusive mode`);
      const owned = await listOwned(transaction, move.now);
      if (owned.length > 0) throw new StillHeld(owned.join(', '));
      // Waits for running appends. Later appends wait for this transaction, and then the seal rejects them.
      if (move.role === 'source') await run(sql`select civic.lock_log()`);
      if (!(await move.isComplete())) return false;
      if (move.role === 'source') await run(sql`insert into civic.log_seal (sealed_at) values (${move.now})`);
      if (move.role === 'target') await run(sql`delete from civic.log_seal`);
      await moveCheckpoints(transaction, move);
      await run(sql`update civic.installation set log_id = ${move.to}::uuid where log_id = ${move.from}::uuid`);
      for (const column of move.columns) await moveColumn(transaction, column, move.pairs);
      return true;
    }),
});
