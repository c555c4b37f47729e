import type { Statement } from '../../../domain/ports/database.ts';
import { CLOCK_MARGIN_MS, MAX_LEASE_MS } from '../../../plumbing/while-leased.ts';
import { DATABASE_TIME } from './clocks.ts';
import { sql, verbatim } from '../connection/statements.ts';

const databaseTime = verbatim(DATABASE_TIME);

/**
 * Returns an SQL condition: true if a row of `civic.generations` or `civic.processors` is leased. An implausibly long
 * lease does not count. Its length is compared with the database's own time, because `now` can be late in a process
 * that was suspended.
 */
export const leased = (alias: string, now: number): Statement =>
  sql`(${verbatim(alias)}.owner is not null
    and ${verbatim(alias)}.lease_until between ${now}::bigint and ${databaseTime} + ${MAX_LEASE_MS}::bigint)`;

/**
 * Returns an SQL condition: true if a job is due. A job that is due implausibly late counts too, because it was planned
 * before the clock was set back.
 */
export const isDue = (alias: string, now: number, everyMs: number): Statement =>
  sql`${verbatim(alias)}.due_at
    not between ${now + 1}::bigint and ${databaseTime} + ${everyMs + CLOCK_MARGIN_MS}::bigint`;
