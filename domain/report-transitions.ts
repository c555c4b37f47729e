import { CLOSED_REPORT_STATUSES, type ReportStatus } from './report-words.ts';

/** Where a report may go from each status; a closed one goes nowhere. */
export const REPORT_TRANSITIONS: Readonly<Record<ReportStatus, readonly ReportStatus[]>> = {
  received: ['investigating', 'out_of_scope', 'declined'],
  investigating: ['awaiting_source', 'gap_confirmed', 'resolved', 'already_available', 'not_found', 'out_of_scope', 'declined'],
  awaiting_source: ['investigating', 'resolved', 'already_available', 'not_found', 'declined'],
  gap_confirmed: ['backfilling', 'resolved', 'awaiting_source', 'declined'],
  backfilling: ['resolved', 'gap_confirmed'],
  resolved: [],
  already_available: [],
  not_found: [],
  out_of_scope: [],
  declined: [],
};

export const isClosedStatus = (status: ReportStatus): boolean => (CLOSED_REPORT_STATUSES as readonly ReportStatus[]).includes(status);

/** Statuses that say where the record is, and must therefore name it. */
export const needsVerifiedRecord = (status: ReportStatus): boolean => status === 'resolved' || status === 'already_available';
