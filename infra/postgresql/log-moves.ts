import { columns, number, text } from '../../domain/columns.ts';
import type { ColumnArrays, Transaction, Transactor } from '../../domain/ports/database.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { type LogMove, type LogMoves, type PlacePair, type PositionColumn, StillHeld } from '../../domain/ports/stores.ts';
import { leased } from './leased.ts';
import { sql, statementsIn, verbatim } from './statements.ts';

const FOLLOWERS = [
  {
    table: verbatim('civic.generations'),
    key: verbatim('generation'),
    name: verbatim('projection'),
    which: sql`state in ('live', 'building')`,
  },
  { table: verbatim('civic.processors'), key: verbatim('name'), name: verbatim('name'), which: sql`due_at is null` },
] as const;
const PAIRS_AT_ONCE = 10_000;
/** Marks moved rows, for a copy to the same kind of log: a new position may equal the old one of another row. */
const MOVED = 'moved:';
const GENERATION = columns({ projection: ['projection', text], generation: ['generation', number] });

async function heldOf(executor: Transactor | Transaction, now: number): Promise<readonly string[]> {
  const [generations, processors] = FOLLOWERS.map(
    ({ table, name, which }) => sql`select ${name} from ${table} f where ${leased('f', now)} and ${which}`,
  );
  return (await statementsIn(executor).rows(sql`${generations!} union ${processors!}`)).map(([who]) => who!);
}

async function moveCheckpoints(transaction: Transaction, { from, to, places }: LogMove): Promise<void> {
  const { run, rows } = statementsIn(transaction);
  for (const { table, key, name, which } of FOLLOWERS) {
    const followers = await rows(sql`select ${key}, checkpoint, ${name} from ${table} where log_id = ${from}::uuid and ${which}`);
    for (const [id, checkpoint, who] of followers) {
      const place = checkpoint === '' ? ('' as Position) : places.get(checkpoint as Position);
      if (place === undefined) throw new Error(`${who} stands at ${checkpoint}, where the log has no event; nothing was moved`);
      // The token grows: an owner that was suspended commits nothing afterwards.
      await run(sql`update ${table} set checkpoint = ${place}, last_event = null, log_id = ${to}::uuid, token = token + 1, owner = null,
        lease_until = 0 where ${key}::text = ${id!}`);
    }
  }
}

async function moveColumn(transaction: Transaction, arrays: ColumnArrays, of: PositionColumn, pairs: readonly PlacePair[]): Promise<void> {
  const { run, rows } = statementsIn(transaction);
  const [table, column] = [verbatim(of.table), verbatim(of.column)];
  for (let at = 0; at < pairs.length; at += PAIRS_AT_ONCE) {
    const some = pairs.slice(at, at + PAIRS_AT_ONCE);
    const [sources, targets] = [arrays.texts(some.map(([source]) => source)), arrays.texts(some.map(([, target]) => target))];
    await run(sql`update ${table} t set ${column} = ${MOVED} || p.target
      from unnest(${sources}::text[], ${targets}::text[]) p(source, target) where t.${column} = p.source`);
  }
  const [left] = await rows(sql`select ${column} from ${table} where not starts_with(${column}, ${MOVED}) limit 1`);
  if (left !== undefined) throw new Error(`${of.table} holds ${left[0]}, where the log has no event; nothing was moved`);
  await run(sql`update ${table} set ${column} = substr(${column}, ${MOVED.length + 1}::integer)`);
}

/** Moves the checkpoints of read models and reactors to another log in one transaction. */
export const createLogMoves = (transactor: Transactor, arrays: ColumnArrays): LogMoves => ({
  async checkpoints(identity) {
    const [generations, processors] = FOLLOWERS.map(
      ({ table, which }) => sql`select checkpoint from ${table} where log_id = ${identity}::uuid and ${which}`,
    );
    return (await statementsIn(transactor).rows(sql`${generations!} union ${processors!}`)).map(([checkpoint]) => checkpoint as Position);
  },
  held: (now) => heldOf(transactor, now),
  generations: (identity) =>
    statementsIn(transactor).all(
      GENERATION,
      sql`select ${GENERATION} from civic.generations where log_id = ${identity}::uuid and state in ('live', 'building')`,
    ),
  move: (move) =>
    transactor.transaction(async (transaction) => {
      const { run } = statementsIn(transaction);
      // A process that acquires a lease waits for this transaction, and then finds the other log.
      await run(sql`lock table civic.generations, civic.processors in share row exclusive mode`);
      const held = await heldOf(transaction, move.now);
      if (held.length > 0) throw new StillHeld(held.join(', '));
      // Waits for running appends. Later appends wait for this transaction and are then refused by the seal.
      if (move.here === 'source') await run(sql`select civic.lock_log()`);
      if (!(await move.isComplete())) return false;
      if (move.here === 'source') await run(sql`insert into civic.log_seal (sealed_at) values (${move.now})`);
      if (move.here === 'target') await run(sql`delete from civic.log_seal`);
      await moveCheckpoints(transaction, move);
      await run(sql`update civic.installation set log_id = ${move.to}::uuid where log_id = ${move.from}::uuid`);
      for (const column of move.columns) await moveColumn(transaction, arrays, column, move.pairs);
      return true;
    }),
});
