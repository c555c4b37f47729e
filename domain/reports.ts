import type { Bucket } from './ports/counts.ts';
import { DAY_MS } from './durations.ts';

export const REPORT_TRANSITIONS: Readonly<Record<ReportStatus, readonly ReportStatus[]>> = {
  received: ['investigating', 'out_of_scope', 'declined'],
  investigating: [
    'awaiting_source',
    'gap_confirmed',
    'resolved',
    'already_available',
    'not_found',
    'out_of_scope',
    'declined',
  ],
  awaiting_source: ['investigating', 'resolved', 'already_available', 'not_found', 'declined'],
  gap_confirmed: ['backfilling', 'resolved', 'awaiting_source', 'declined'],
  backfilling: ['resolved', 'gap_confirmed'],
  resolved: [],
  already_available: [],
  not_found: [],
  out_of_scope: [],
  declined: [],
};

export const isClosedStatus = (status: ReportStatus): boolean =>
  (CLOSED_REPORT_STATUSES as readonly ReportStatus[]).includes(status);
/** Returns true for statuses that name a published record. */
export const needsVerifiedRecord = (status: ReportStatus): boolean =>
  status === 'resolved' || status === 'already_available';
/** Statuses of an open report, and of a closed one. */
export const OPEN_REPORT_STATUSES = [
  'received',
  'investigating',
  'awaiting_source',
  'gap_confirmed',
  'backfilling',
] as const;
export const CLOSED_REPORT_STATUSES = [
  'resolved',
  'already_available',
  'not_found',
  'out_of_scope',
  'declined',
] as const;
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

/** Limits of reports, for all keys of an account and over REST and the tools alike. */
export const MAX_NEW_REPORTS_A_DAY = 20;
export const MAX_UNRESOLVED_REPORTS = 20;
/** Maximum keys and surfaces that may present one token, including the first. */
export const MAX_ALIASES = 32;
/** `retryAfterSeconds` of `report_limit_reached`, on every surface. */
export const REPORT_LIMIT_RETRY_SECONDS = 86_400;
/** The announced allowances. The decider of the account's reports counts them. */
export const NEW_REPORTS_A_DAY: Bucket = { name: 'report-day', limit: MAX_NEW_REPORTS_A_DAY, seconds: 86_400 };
export const UNRESOLVED_REPORTS = { name: 'report-unresolved', limit: MAX_UNRESOLVED_REPORTS, seconds: null } as const;
export const SUBMISSIONS_A_MINUTE: Bucket = { name: 'report-submit-minute', limit: 5, seconds: 60 };
export const STATUS_READS_A_MINUTE: Bucket = { name: 'report-status-minute', limit: 30, seconds: 60 };
/** Milliseconds from the submission to the first check of the status. */
export const FIRST_CHECK_MS = DAY_MS;
