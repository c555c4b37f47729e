import type { Position, SetBacks } from '../../../domain/ports/event-log.ts';
import type { CountedEvent } from '../../../domain/read-log.ts';
import type { Statement, Transactor } from '../../../domain/ports/database.ts';
import { columnList, sql, statementsIn } from '../connection/statements.ts';

const DIGITS = 20;

/** Pads a number to twenty digits, so that positions sort as text. */
export const toPosition = (number: number | string): Position => String(number).padStart(DIGITS, '0') as Position;

/** Converts a position to a number. Throws for a position of another kind of log. */
export function positionNumber(position: Position): number {
  const number = Number(position);
  if (!Number.isSafeInteger(number))
    throw new Error(`${position} is not a position of a log in PostgreSQL: the checkpoint belongs to another log`);
  return number;
}

/** Returns the number of events after `from` up to and including `to`. Positions have no gaps. */
export const positionDistance = (from: Position, to: Position): number => positionNumber(to) - positionNumber(from);

/** Returns an SQL condition: true if the log has this event at its position, or if the event is null. */
export function logHas(proof: CountedEvent | null): Statement {
  const place = proof?.place ?? null;
  return sql`(${place}::bigint is null
    or exists (select from civic.events e where e.position = ${place}::bigint and e.id = ${proof?.id ?? null}::uuid))`;
}

const SET_BACK = columnList({ held: 'held', head: 'head', noticedAt: 'noticed_at' });
export const OPEN_SET_BACKS = sql`select ${SET_BACK} from civic.history_set_backs
  where acknowledged_at is null order by noticed_at, held`;

/** Stores losses of history. A loss that several processes notice is stored once. */
export function createSetBacks(transactor: Transactor): SetBacks {
  const { run, all } = statementsIn(transactor);
  return {
    async note({ held, head, noticedAt }) {
      await run(sql`insert into civic.history_set_backs (held, head, noticed_at)
        values (${held}, ${head}, ${noticedAt}::bigint) on conflict (held, head) do nothing`);
    },
    open: () => all(OPEN_SET_BACKS),
    acknowledge: (now) =>
      run(sql`update civic.history_set_backs set acknowledged_at = ${now}::bigint where acknowledged_at is null`),
  };
}
