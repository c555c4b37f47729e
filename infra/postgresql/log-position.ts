import type { Position, SetBacks } from '../../domain/ports/event-log.ts';
import type { CountedEvent } from '../../domain/read-log.ts';
import type { Statement, Transactor } from '../../domain/ports/database.ts';
import { columns, number, textAs } from '../../domain/columns.ts';
import { sql, statementsIn } from './statements.ts';

const DIGITS = 20;

/** Twenty digits, so that the order of texts is the order of numbers. */
export const toPosition = (number: number | string): Position => String(number).padStart(DIGITS, '0') as Position;

/** Throws for a position of another kind of log. */
export function positionNumber(position: Position): number {
  const number = Number(position);
  if (!Number.isSafeInteger(number))
    throw new Error(`${position} is no position of a log in PostgreSQL: the checkpoint belongs to another log`);
  return number;
}

/** In (from, to]: positions are dense. */
export const positionDistance = (from: Position, to: Position): number => positionNumber(to) - positionNumber(from);

/** SQL condition: no event is given, or the log in this database has it at its position. */
export function logHas(proof: CountedEvent | null): Statement {
  const place = proof?.place ?? null;
  return sql`(${place}::bigint is null
    or exists (select from civic.events e where e.position = ${place}::bigint and e.id = ${proof?.id ?? null}::uuid))`;
}

export const SET_BACK = columns({
  held: ['held', textAs<Position>()],
  head: ['head', textAs<Position>()],
  noticedAt: ['noticed_at', number],
});
export const OPEN_SET_BACKS = sql`select ${SET_BACK} from civic.history_set_backs where acknowledged_at is null order by noticed_at, held`;

/** Several processes that notice the same loss store it once. */
export function createSetBacks(transactor: Transactor): SetBacks {
  const { run, all } = statementsIn(transactor);
  return {
    async note({ held, head, noticedAt }) {
      await run(sql`insert into civic.history_set_backs (held, head, noticed_at) values (${held}, ${head}, ${noticedAt}::bigint)
        on conflict (held, head) do nothing`);
    },
    open: () => all(SET_BACK, OPEN_SET_BACKS),
    acknowledge: async (now) =>
      (await run(sql`update civic.history_set_backs set acknowledged_at = ${now}::bigint where acknowledged_at is null`)).count,
  };
}
