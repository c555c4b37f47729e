import { ID, MAYBE_TEXT, NUMBER, readModel, TEXT, UUID } from '../tables.ts';

export type ReportMeasure = 'first_move' | 'closing';

/**
 * Inclusive upper bounds of the buckets, in seconds; longer times count under `LONGER`. A change requires a new version
 * of the projection.
 */
export const REPORT_BUCKETS_SECONDS: readonly number[] = [
  1, 10, 60, 600, 3600, 21_600, 86_400, 259_200, 604_800, 2_592_000,
];
export const LONGER = 0;

export const REPORTS = readModel('reports', {
  /**
   * `input` and `verified_records` are JSON text. `reason_code`, `finding` and `next_action` come from the last move
   * that set them. `revision` is that of the last event on the lifecycle stream, -1 before the first; moves are decided
   * on it. `closed_at` is null while the report is open. `address_key` and `title_key` find duplicates, and reports
   * that a new record might answer.
   */
  reports: {
    isMain: true,
    columns: {
      report_id: ID,
      account_id: UUID,
      status: TEXT,
      submitted_at: NUMBER,
      updated_at: NUMBER,
      closed_at: 'bigint',
      next_check_at: 'bigint',
      reason_code: MAYBE_TEXT,
      finding: MAYBE_TEXT,
      next_action: MAYBE_TEXT,
      verified_records: TEXT,
      input: TEXT,
      address_key: UUID,
      title_key: 'uuid',
      source_record_id: MAYBE_TEXT,
      jurisdiction_slug: MAYBE_TEXT,
      record_date: MAYBE_TEXT,
      revision: NUMBER,
      fencing_token: NUMBER,
      first_moved_at: 'bigint',
      noted_at: 'bigint',
      note: MAYBE_TEXT,
    },
    indexes: {
      by_age: '(submitted_at, report_id)',
      by_account: '(account_id, submitted_at)',
      open_by_status: '(status, submitted_at) where closed_at is null',
      open_by_check: '(next_check_at) where closed_at is null',
      open_by_address: '(address_key) where closed_at is null',
      open_by_title: '(title_key) where closed_at is null and title_key is not null',
      open_by_source_id: '(source_record_id) where closed_at is null and source_record_id is not null',
      open_by_date: '(record_date) where closed_at is null and record_date is not null',
    },
  },
  /**
   * Durations of reports: one row per measure, status and bucket, counted as they happen, so that a scrape reads few
   * rows.
   */
  tallies: {
    columns: { measure: TEXT, status: TEXT, up_to_seconds: NUMBER, reports: NUMBER, milliseconds: NUMBER },
    key: ['measure', 'status', 'up_to_seconds'],
  },
});
