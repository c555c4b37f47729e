import type { ColumnArrays, Transaction, Transactor } from '../../domain/ports/database.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { type LogMove, type LogMoves, type PlacePair, type PositionColumn, StillHeld } from '../../domain/ports/log-moves.ts';
import { executeAlone } from './execute.ts';

const FOLLOWERS = [
  { table: 'civic.generations', key: 'generation', name: 'projection', which: `and state in ('live', 'building')` },
  { table: 'civic.processors', key: 'name', name: 'name', which: 'and due_at is null' },
] as const;
const PAIRS_AT_ONCE = 10_000;
/** Marks moved rows, for a copy to the same kind of log: a new position may equal the old one of another row. */
const MOVED = 'moved:';

const allHeld = (transaction: Transaction, now: number) =>
  transaction.execute({
    text: FOLLOWERS.map(
      ({ table, name, which }) => `select ${name} as who from ${table} where owner is not null and lease_until >= $1::bigint ${which}`,
    ).join(' union '),
    values: [now],
  });

async function moveCheckpoints(transaction: Transaction, { from, to, places }: LogMove): Promise<void> {
  for (const { table, key, name, which } of FOLLOWERS) {
    const { rows } = await transaction.execute({
      text: `select ${key}, checkpoint, ${name} from ${table} where log_id = $1::uuid ${which}`,
      values: [from],
    });
    for (const [id, checkpoint, who] of rows) {
      const place = checkpoint === '' ? ('' as Position) : places.get(checkpoint as Position);
      if (place === undefined) throw new Error(`${who} stands at ${checkpoint}, where the log has no event; nothing was moved`);
      // The token grows: an owner that was suspended commits nothing afterwards.
      await transaction.execute({
        text: `update ${table} set checkpoint = $2, last_event = null, log_id = $3::uuid, token = token + 1, owner = null, lease_until = 0 where ${key}::text = $1`,
        values: [id!, place, to],
      });
    }
  }
}

async function moveColumn(
  transaction: Transaction,
  arrays: ColumnArrays,
  { table, column }: PositionColumn,
  pairs: readonly PlacePair[],
): Promise<void> {
  for (let at = 0; at < pairs.length; at += PAIRS_AT_ONCE) {
    const some = pairs.slice(at, at + PAIRS_AT_ONCE);
    await transaction.execute({
      text: `update ${table} t set ${column} = $3 || p.target from unnest($1::text[], $2::text[]) p(source, target) where t.${column} = p.source`,
      values: [arrays.texts(some.map(([source]) => source)), arrays.texts(some.map(([, target]) => target)), MOVED],
    });
  }
  const left = await transaction.execute({
    text: `select ${column} from ${table} where not starts_with(${column}, $1) limit 1`,
    values: [MOVED],
  });
  if (left.count > 0) throw new Error(`${table} holds ${left.rows[0]![0]}, where the log has no event; nothing was moved`);
  await transaction.execute({ text: `update ${table} set ${column} = substr(${column}, length($1) + 1)`, values: [MOVED] });
}

/** Moves the checkpoints of read models and reactors to another log in one transaction. */
export const createLogMoves = (transactor: Transactor, arrays: ColumnArrays): LogMoves => ({
  async checkpoints(identity) {
    const each = FOLLOWERS.map(({ table, which }) => `select checkpoint from ${table} where log_id = $1::uuid ${which}`);
    const { rows } = await executeAlone(transactor)(each.join(' union '), [identity]);
    return rows.map(([checkpoint]) => checkpoint as Position);
  },
  held: (now) => transactor.transaction(async (transaction) => (await allHeld(transaction, now)).rows.map(([who]) => who!)),
  async generations(identity) {
    const text = `select projection, generation from civic.generations where log_id = $1::uuid and state in ('live', 'building')`;
    const { rows } = await executeAlone(transactor)(text, [identity]);
    return rows.map(([projection, generation]) => ({ projection: projection!, generation: Number(generation) }));
  },
  move: (move) =>
    transactor.transaction(async (transaction) => {
      // A process that acquires a lease waits for this transaction, and then finds the other log.
      await transaction.execute({ text: 'lock table civic.generations, civic.processors in share row exclusive mode', values: [] });
      const { rows } = await allHeld(transaction, move.now);
      if (rows.length > 0) throw new StillHeld(rows.map(([who]) => who).join(', '));
      if (move.here === 'source') {
        // Waits for running appends. Later appends wait for this transaction and are then refused by the seal.
        await transaction.execute({ text: 'select civic.lock_log()', values: [] });
      }
      if (!(await move.isComplete())) return false;
      if (move.here === 'source') {
        await transaction.execute({ text: 'insert into civic.log_seal (sealed_at) values ($1)', values: [move.now] });
      }
      if (move.here === 'target') await transaction.execute({ text: 'delete from civic.log_seal', values: [] });
      await moveCheckpoints(transaction, move);
      const values = [move.from, move.to];
      await transaction.execute({ text: 'update civic.installation set log_id = $2::uuid where log_id = $1::uuid', values });
      for (const column of move.columns) await moveColumn(transaction, arrays, column, move.pairs);
      return true;
    }),
});
