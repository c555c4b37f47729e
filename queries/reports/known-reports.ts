import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { REPORTS } from '../../projections/reports/tables.ts';
import { reportInput, verifiedRecord } from '../../domain/events/report-events.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { REPORT_REASONS, REPORT_STATUSES, type ReportStatus } from '../../domain/reports.ts';
import { isTime, jsonText } from '../fields.ts';
import { liveTokens } from '../live-tables.ts';
import { RECORD_KEYS } from '../../projections/record-keys/tables.ts';
import type { ExternalIds, FoundResource } from '../../domain/records/external-ids.ts';

/** State of a report, and the columns that it is read from. */
export const reportState = z.object({
  status: z.enum(REPORT_STATUSES),
  submittedAt: isTime,
  updatedAt: isTime,
  closedAt: isTime.nullable(),
  nextCheckAt: isTime.nullable(),
  reasonCode: z.enum(REPORT_REASONS).nullable(),
  finding: z.string().nullable(),
  nextAction: z.string().nullable(),
  verifiedRecords: jsonText(z.array(verifiedRecord)),
});
export const REPORT_STATE = sql.fragment`status, submitted_at as "submittedAt", updated_at as "updatedAt",
  closed_at as "closedAt", next_check_at as "nextCheckAt", reason_code as "reasonCode", finding,
  next_action as "nextAction", verified_records as "verifiedRecords"`;

const knownReport = reportState.extend({
  reportId: z.string(),
  accountId: z.string(),
  input: jsonText(reportInput),
  /** Revision of the last lifecycle event; -1 before the first. */
  revision: z.coerce.number(),
  note: z.string().nullable(),
});
export type KnownReport = Readonly<z.output<typeof knownReport>>;

export interface ReportFilter {
  readonly statuses?: readonly ReportStatus[] | undefined;
  readonly accountId?: string | undefined;
  readonly jurisdictionSlug?: string | undefined;
  readonly reportIds?: readonly string[] | undefined;
  readonly open?: boolean | undefined;
  /** Clock milliseconds, inclusive. */
  readonly submittedUpTo?: number | undefined;
  /** Selects reports that were never examined or are due by this time, in clock milliseconds. */
  readonly dueAt?: number | undefined;
  /** Keys of a published record. Selects reports that the record might answer. */
  readonly mayBe?: ReportKeys | undefined;
}

export interface ReportKeys {
  readonly addressKeys: readonly string[];
  readonly titleKeys: readonly string[];
  readonly sourceRecordIds: readonly string[];
  readonly dates: readonly string[];
}

function toConditions(filter: ReportFilter): readonly FragmentSqlToken[] {
  const { statuses, accountId, jurisdictionSlug, reportIds, open, submittedUpTo, dueAt, mayBe } = filter;
  const conditions: FragmentSqlToken[] = [];
  if (statuses !== undefined) conditions.push(sql.fragment`status = any(${sql.array([...statuses], 'text')})`);
  if (accountId !== undefined) conditions.push(sql.fragment`account_id = ${accountId}::uuid`);
  if (jurisdictionSlug !== undefined) conditions.push(sql.fragment`jurisdiction_slug = ${jurisdictionSlug}`);
  if (reportIds !== undefined) conditions.push(sql.fragment`report_id = any(${sql.array([...reportIds], 'uuid')})`);
  if (open !== undefined) conditions.push(open ? sql.fragment`closed_at is null` : sql.fragment`closed_at is not null`);
  if (submittedUpTo !== undefined) conditions.push(sql.fragment`submitted_at <= ${submittedUpTo}`);
  if (dueAt !== undefined)
    conditions.push(sql.fragment`closed_at is null and (status = 'received' or next_check_at <= ${dueAt})`);
  if (mayBe !== undefined) {
    conditions.push(sql.fragment`closed_at is null and (address_key = any(${sql.array([...mayBe.addressKeys], 'uuid')})
      or title_key = any(${sql.array([...mayBe.titleKeys], 'uuid')})
      or source_record_id = any(${sql.array([...mayBe.sourceRecordIds], 'text')})
      or record_date = any(${sql.array([...mayBe.dates], 'text')}))`);
  }
  return conditions;
}

/** Returns up to `limit` reports that match all conditions: reports without an investigation first, then the oldest. */
export const knownReports = (reads: LiveReads, filter: ReportFilter, limit: number): Promise<readonly KnownReport[]> =>
  reads.many((live) => {
    const { reports, isLive } = liveTokens(REPORTS, live);
    return sql.type(knownReport)`
      select report_id as "reportId", account_id as "accountId", ${REPORT_STATE}, input, revision, note
      from ${reports}
      where ${sql.join([isLive, ...toConditions(filter)], sql.fragment` and `)}
      order by status <> 'received', submitted_at, report_id limit ${limit}`;
  });

export const findReport = async (reads: LiveReads, reportId: string): Promise<KnownReport | null> =>
  (await knownReports(reads, { reportIds: [reportId] }, 1))[0] ?? null;

/**
 * Possible names of a record. Null and empty names match nothing. The source's id can be the file number of a matter.
 */
export type WantedRecord = Omit<ExternalIds, 'matterFile'> & { readonly addressKey: string };

const foundRecord = z.object({ resource: z.custom<FoundResource>(), id: z.string() });
export type FoundRecord = Readonly<z.output<typeof foundRecord>>;

const MAX_FOUND = 2000;

/** Returns current records with any of the names, at most two thousand by id. Other records can share a name. */
export async function foundRecords(reads: LiveReads, names: WantedRecord) {
  return await reads.many((live) => {
    const { keys, isLive } = liveTokens(RECORD_KEYS, live);
    const { addressKey, titleKey, sourceRecordId, localDate } = names;
    return sql.type(foundRecord)`
      select resource, record_id as id from ${keys}
      where (address_key = ${addressKey}::uuid or title_key = ${titleKey}::uuid or source_record_id = ${sourceRecordId}
        or matter_file = upper(${sourceRecordId}) or local_date = ${localDate}) and ${isLive}
      order by record_id limit ${MAX_FOUND}`;
  });
}
