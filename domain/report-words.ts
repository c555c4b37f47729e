/** Statuses of a report that is worked on, and of one that is closed for good. */
export const OPEN_REPORT_STATUSES = ['received', 'investigating', 'awaiting_source', 'gap_confirmed', 'backfilling'] as const;
export const CLOSED_REPORT_STATUSES = ['resolved', 'already_available', 'not_found', 'out_of_scope', 'declined'] as const;
export const REPORT_STATUSES = [...OPEN_REPORT_STATUSES, ...CLOSED_REPORT_STATUSES] as const;
export type ReportStatus = (typeof REPORT_STATUSES)[number];

export const REPORT_REASONS = [
  'publication_delay',
  'source_unavailable',
  'source_unreadable',
  'connector_failure',
  'classification_miss',
  'record_relocated',
  'record_withdrawn',
  'outside_coverage',
  'no_matching_record',
  'insufficient_information',
  'duplicate_report',
] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];
