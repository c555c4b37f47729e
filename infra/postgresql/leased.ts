import type { Statement } from '../../domain/ports/database.ts';
import { MAX_LEASE_MS } from '../../domain/while-leased.ts';
import { sql, verbatim } from './statements.ts';

/** The condition `isLeased` for a row of `civic.generations` or `civic.processors` by the alias of its table. */
export const leased = (alias: string, now: number): Statement =>
  sql`(${verbatim(alias)}.owner is not null and ${verbatim(alias)}.lease_until between ${now}::bigint and ${now + MAX_LEASE_MS}::bigint)`;
