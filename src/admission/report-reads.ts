import type { ReportFunctions } from '../contract/handlers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { WindowCounts } from '../domain/ports/window-counts.ts';
import { Rejection } from '../domain/rejections.ts';
import { STATUS_READS_A_MINUTE } from '../domain/report-limits.ts';

/** Reads a report for an account that has room left for it this minute, whichever key and surface it asks by; whatever is found counts. */
export const limitedReportReads =
  (
    parts: { readonly windows: WindowCounts; readonly clock: Clock },
    read: ReportFunctions['getDataReport'],
  ): ReportFunctions['getDataReport'] =>
  async (wanted) => {
    const taken = await parts.windows.take(wanted.accountId, [STATUS_READS_A_MINUTE], 1, parts.clock.now());
    if (taken.kind === 'taken') return read(wanted);
    const { retryAfterSeconds } = taken;
    throw new Rejection('status_rate_limited', `more than ${STATUS_READS_A_MINUTE.limit} reads in this minute`, { retryAfterSeconds });
  };
