import { generationTable } from '../../domain/ports/projection.ts';

/**
 * Missing-data reports as customers, investigators and the worker read them; one row each. Times are milliseconds since the epoch.
 *
 * `input` and `verified_records` are JSON text: what was submitted, as accepted, and what the last move named. `reason_code`, `finding` and
 * `next_action` are those of the last move that stated them. `revision` is that of the
 * last event on the report's lifecycle stream, -1 while there is none; a move is decided on it. `closed_at` is null exactly while the
 * report is open. `address_key` and `title_key` are `sourceAddressKey` and `titleKey` of the reported address and of the words for what is
 * missing, by which duplicates are found, and reports that a new record may answer.
 */
export const REPORTS = 'reports';

export const reportsTable = (generation: number): string => generationTable(REPORTS, generation);

/** How long reports took, counted as they happen: a row per measure, status and bucket; a scrape reads these few rows. */
export const reportTalliesTable = (generation: number): string => generationTable(REPORTS, generation, 'tallies');

export type ReportMeasure = 'first_move' | 'closing';

/** Upper bounds of the buckets in seconds, inclusive; longer times count under `LONGER`. A change requires another version of the projection. */
export const REPORT_BUCKETS_SECONDS: readonly number[] = [1, 10, 60, 600, 3600, 21_600, 86_400, 259_200, 604_800, 2_592_000];
export const LONGER = 0;

export function createReportTables(generation: number): readonly string[] {
  const index = (what: string) => `reports_g${generation}_${what} on ${reportsTable(generation)}`;
  return [
    `create table ${reportsTable(generation)} (
      report_id uuid primary key,
      account_id uuid not null,
      status text collate "C" not null,
      submitted_at bigint not null,
      updated_at bigint not null,
      closed_at bigint,
      next_check_at bigint,
      reason_code text collate "C",
      finding text collate "C",
      next_action text collate "C",
      verified_records text collate "C" not null,
      input text collate "C" not null,
      address_key uuid not null,
      title_key uuid,
      source_record_id text collate "C",
      jurisdiction_slug text collate "C",
      record_date text collate "C",
      revision bigint not null,
      fencing_token bigint not null,
      first_moved_at bigint,
      noted_at bigint,
      note text collate "C"
    )`,
    `create index ${index('by_age')} (submitted_at, report_id)`,
    `create index ${index('by_account')} (account_id, submitted_at)`,
    `create index ${index('open_by_status')} (status, submitted_at) where closed_at is null`,
    `create index ${index('open_by_check')} (next_check_at) where closed_at is null`,
    `create index ${index('open_by_address')} (address_key) where closed_at is null`,
    `create index ${index('open_by_title')} (title_key) where closed_at is null and title_key is not null`,
    `create index ${index('open_by_source_id')} (source_record_id) where closed_at is null and source_record_id is not null`,
    `create index ${index('open_by_date')} (record_date) where closed_at is null and record_date is not null`,
    `create table ${reportTalliesTable(generation)} (
      measure text collate "C" not null,
      status text collate "C" not null,
      up_to_seconds bigint not null,
      reports bigint not null,
      milliseconds bigint not null,
      primary key (measure, status, up_to_seconds)
    )`,
  ];
}
