import type { Bucket } from './ports/window-counts.ts';

/** Limits of reports, for all keys of an account and over REST and the tools alike. */
export const MAX_NEW_REPORTS_A_DAY = 20;
export const MAX_UNRESOLVED_REPORTS = 20;
/** Keys and surfaces that may present one token, the first included. */
export const MAX_ALIASES = 32;
/** `retryAfterSeconds` of `report_limit_reached`, on every surface. */
export const REPORT_LIMIT_RETRY_SECONDS = 86_400;

export const SUBMISSIONS_A_MINUTE: Bucket = { name: 'report-submit-minute', limit: 5, seconds: 60 };
export const STATUS_READS_A_MINUTE: Bucket = { name: 'report-status-minute', limit: 30, seconds: 60 };

/** Until a report's first move its status is worth another look this long after it was submitted. */
export const FIRST_CHECK_MS = 24 * 60 * 60 * 1000;
