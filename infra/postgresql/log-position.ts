import type { Position } from '../../domain/ports/event-log.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { SetBacks } from '../../domain/ports/history.ts';
import { executeAlone } from './execute.ts';

const DIGITS = 20;

/** A position of this adapter is its number in twenty digits, so that the order of texts is the order of numbers. */
export const toPosition = (number: number | string): Position => String(number).padStart(DIGITS, '0') as Position;

/** The number of a position. Throws for a position of another kind of log. */
export function positionNumber(position: Position): number {
  const number = Number(position);
  if (!Number.isSafeInteger(number))
    throw new Error(`${position} is no position of a log in PostgreSQL: the checkpoint belongs to another log`);
  return number;
}

/** The number of events in (from, to]: positions are dense. */
export const positionDistance = (from: Position, to: Position): number => positionNumber(to) - positionNumber(from);

/** SQL condition: no event is given, or the log in this database has it at this position. Takes two parameters, a number and an id. */
export const logHas = (place: string, id: string): string =>
  `(${place}::bigint is null or exists (select from civic.events e where e.position = ${place}::bigint and e.id = ${id}::uuid))`;

export const OPEN_SET_BACKS =
  'select held, head, noticed_at::text from civic.history_set_backs where acknowledged_at is null order by noticed_at, held';

/** The rows of `civic.history_set_backs`; several processes that notice the same loss store it once. */
export function createSetBacks(transactor: Transactor): SetBacks {
  const run = executeAlone(transactor);
  return {
    async note({ held, head, noticedAt }) {
      await run(
        'insert into civic.history_set_backs (held, head, noticed_at) values ($1, $2, $3::bigint) on conflict (held, head) do nothing',
        [held, head, noticedAt],
      );
    },
    async open() {
      const { rows } = await run(OPEN_SET_BACKS);
      return rows.map(([held, head, noticedAt]) => ({ held: held as Position, head: head as Position, noticedAt: Number(noticedAt) }));
    },
    acknowledge: async (now) =>
      (await run('update civic.history_set_backs set acknowledged_at = $1::bigint where acknowledged_at is null', [now])).count,
  };
}
