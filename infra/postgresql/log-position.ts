import type { Position } from '../../domain/ports/event-log.ts';

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
