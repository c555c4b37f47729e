import type { Statement } from '../../domain/ports/database.ts';
import { CLOCK_MARGIN_MS, MAX_LEASE_MS } from '../../domain/while-leased.ts';
import { DATABASE_TIME } from './clocks.ts';
import { sql, verbatim } from './statements.ts';

const databaseTime = verbatim(DATABASE_TIME);

/**
 * The condition that an owner holds a row of `civic.generations` or `civic.processors`, by the alias of its table. That a lease is too long
 * is told by the time of the database itself: `now` may be late in a process that was suspended.
 */
export const leased = (alias: string, now: number): Statement =>
  sql`(${verbatim(alias)}.owner is not null and ${verbatim(alias)}.lease_until between ${now}::bigint and ${databaseTime} + ${MAX_LEASE_MS}::bigint)`;

/** The condition that a job is due. One that is due later than one that ends now was planned before the clock was set back. */
export const isDue = (alias: string, now: number, everyMs: number): Statement =>
  sql`${verbatim(alias)}.due_at not between ${now + 1}::bigint and ${databaseTime} + ${everyMs + CLOCK_MARGIN_MS}::bigint`;
