import { sql } from 'slonik';
import { z } from 'zod';
import { AUDIT } from '../../projections/audit/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { isTime, liveTable } from '../live-table.ts';

const entry = z.object({
  at: isTime,
  action: z.string(),
  subject: z.string(),
  keyId: z.string().nullable(),
  requestId: z.string().nullable(),
});
export type AuditEntry = z.output<typeof entry>;

/** Writes of and for an account with key and request, in the order of the log, the newest last. Empty for an unknown account. */
export const listAudit = (reads: LiveReads, accountId: string): Promise<readonly AuditEntry[]> =>
  reads.many((live) => {
    const audit = liveTable(AUDIT.name, live(AUDIT.name), (generation) => AUDIT.at(generation).audit);
    return sql.type(entry)`
      select at, action, subject, key_id as "keyId", request_id as "requestId"
      from ${audit.name} where account_id = ${accountId}::uuid and ${audit.isLive} order by position`;
  });
