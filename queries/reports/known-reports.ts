import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { REPORTS } from '../../projections/reports/tables.ts';
import { reportInput, verifiedRecord } from '../../domain/events/report-events.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { REPORT_REASONS, REPORT_STATUSES, type ReportStatus } from '../../domain/reports.ts';
import { isTime } from '../fields.ts';
import { liveRows, liveTokens } from '../live-tables.ts';
import { RECORD_KEYS } from '../../projections/record-keys/tables.ts';
import type { ExternalIds, FoundResource } from '../../domain/records/external-ids.ts';

const jsonText = <Schema extends z.ZodType>(schema: Schema) =>
  z.string().transform((text): z.output<Schema> => schema.parse(JSON.parse(text)));

const knownReport = z.object({
  reportId: z.string(),
  accountId: z.string(),
  status: z.enum(REPORT_STATUSES),
  submittedAt: isTime,
  updatedAt: isTime,
  closedAt: isTime.nullable(),
  nextCheckAt: isTime.nullable(),
  reasonCode: z.enum(REPORT_REASONS).nullable(),
  finding: z.string().nullable(),
  nextAction: z.string().nullable(),
  verifiedRecords: jsonText(z.array(verifiedRecord)),
  input: jsonText(reportInput),
  /** Of the lifecycle's last event; -1 before the first. */
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
  /** Reports that were not examined yet, or are due by this time; clock milliseconds. */
  readonly dueAt?: number | undefined;
  /** Keys of a published record: finds reports that it may answer. */
  readonly mayBe?: ReportKeys | undefined;
}

export interface ReportKeys {
  readonly addressKeys: readonly string[];
  readonly titleKeys: readonly string[];
  readonly sourceRecordIds: readonly string[];
  readonly dates: readonly string[];
}

function conditions(filter: ReportFilter): readonly FragmentSqlToken[] {
  const { statuses, accountId, jurisdictionSlug, reportIds, open, submittedUpTo, dueAt, mayBe } = filter;
  const found: FragmentSqlToken[] = [];
  if (statuses !== undefined) found.push(sql.fragment`status = any(${sql.array([...statuses], 'text')})`);
  if (accountId !== undefined) found.push(sql.fragment`account_id = ${accountId}::uuid`);
  if (jurisdictionSlug !== undefined) found.push(sql.fragment`jurisdiction_slug = ${jurisdictionSlug}`);
  if (reportIds !== undefined) found.push(sql.fragment`report_id = any(${sql.array([...reportIds], 'uuid')})`);
  if (open !== undefined) found.push(open ? sql.fragment`closed_at is null` : sql.fragment`closed_at is not null`);
  if (submittedUpTo !== undefined) found.push(sql.fragment`submitted_at <= ${submittedUpTo}`);
  if (dueAt !== undefined) found.push(sql.fragment`closed_at is null and (status = 'received' or next_check_at <= ${dueAt})`);
  if (mayBe !== undefined) {
    found.push(sql.fragment`closed_at is null and (address_key = any(${sql.array([...mayBe.addressKeys], 'uuid')})
      or title_key = any(${sql.array([...mayBe.titleKeys], 'uuid')})
      or source_record_id = any(${sql.array([...mayBe.sourceRecordIds], 'text')})
      or record_date = any(${sql.array([...mayBe.dates], 'text')}))`);
  }
  return found;
}

/** Reports that fulfil every given condition, at most `limit`: those without an investigation first, then the oldest. */
export const knownReports = (reads: LiveReads, filter: ReportFilter, limit: number): Promise<readonly KnownReport[]> =>
  reads.many((live) => {
    const { reports, isLive } = liveTokens(REPORTS, live);
    return sql.type(knownReport)`
      select report_id as "reportId", account_id as "accountId", status, submitted_at as "submittedAt", updated_at as "updatedAt",
        closed_at as "closedAt", next_check_at as "nextCheckAt", reason_code as "reasonCode", finding, next_action as "nextAction",
        verified_records as "verifiedRecords", input, revision, note
      from ${reports}
      where ${sql.join([isLive, ...conditions(filter)], sql.fragment` and `)}
      order by status <> 'received', submitted_at, report_id limit ${limit}`;
  });

export const findReport = async (reads: LiveReads, reportId: string): Promise<KnownReport | null> =>
  (await knownReports(reads, { reportIds: [reportId] }, 1))[0] ?? null;

/** The criteria of a search for a record; null or empty ones find nothing. The source's id may be the file number of a matter. */
export type WantedRecord = Omit<ExternalIds, 'matterFile'> & { readonly addressKey: string };

const MAX_FOUND = 2000;

/** Current records that have any of the names: a superset, since names are shared. At most two thousand, in the order of their ids. */
export async function foundRecords(reads: LiveReads, wanted: WantedRecord) {
  const rows = await liveRows(reads, RECORD_KEYS, {
    name: 'found_records',
    text: ({ keys, isLive }) => `select resource, record_id::text from ${keys}
      where (address_key = $1::uuid or title_key = $2::uuid or source_record_id = $3 or matter_file = upper($3) or local_date = $4) and ${isLive}
      order by record_id limit ${MAX_FOUND}`,
    values: [wanted.addressKey, wanted.titleKey, wanted.sourceRecordId, wanted.localDate],
  });
  return rows.map(([resource, id]) => ({ resource: resource as FoundResource, id: id! }));
}

export type FoundRecord = Readonly<Awaited<ReturnType<typeof foundRecords>>[number]>;
