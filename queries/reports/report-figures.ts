import { sql } from 'slonik';
import { z } from 'zod';
import { REPORT_BUCKETS_SECONDS, type ReportMeasure, REPORTS } from '../../projections/reports/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { REPORT_STATUSES, type ReportStatus } from '../../domain/reports.ts';
import { liveTokens } from '../live-tables.ts';

interface ReportDurations {
  readonly measure: ReportMeasure;
  readonly status: ReportStatus;
  /** Reports per bucket, not cumulative, in the order of `bounds`. The last bucket has no upper bound. */
  readonly counts: number[];
  seconds: number;
}

const openOfStatus = z.object({ status: z.enum(REPORT_STATUSES), count: z.number(), oldest: z.number() });
const tally = z.object({
  measure: z.custom<ReportMeasure>(),
  status: z.enum(REPORT_STATUSES),
  upTo: z.number(),
  reports: z.number(),
  milliseconds: z.number(),
});
const openAndKnown = z.object({ open: z.number(), known: z.array(z.string()) });

/** Returns figures about reports. The cost does not depend on the number of closed reports. */
export async function readReportFigures(reads: LiveReads) {
  const open = await reads.many((live) => {
    const { reports, isLive } = liveTokens(REPORTS, live);
    return sql.type(openOfStatus)`
      select status, count(*), min(submitted_at) as oldest from ${reports}
      where closed_at is null and ${isLive} group by status`;
  });
  const tallies = await reads.many((live) => {
    const { tallies: table, isLive } = liveTokens(REPORTS, live);
    return sql.type(tally)`
      select measure, status, up_to_seconds as "upTo", reports, milliseconds from ${table}
      where ${isLive} order by measure, status`;
  });
  return {
    open: new Map(open.map(({ status, count }) => [status, count])),
    /** Clock milliseconds; null while none is open. */
    oldestOpen: open.length === 0 ? null : Math.min(...open.map(({ oldest }) => oldest)),
    bounds: REPORT_BUCKETS_SECONDS,
    durations: durationsOf(tallies),
  };
}

/** Groups durations by measure and status. */
function durationsOf(tallies: readonly z.output<typeof tally>[]): readonly ReportDurations[] {
  const durations = new Map<string, ReportDurations>();
  for (const { measure, status, upTo, reports, milliseconds } of tallies) {
    const key = `${measure} ${status}`;
    const counts = Array.from({ length: REPORT_BUCKETS_SECONDS.length + 1 }, () => 0);
    const series = durations.get(key) ?? { measure, status, counts, seconds: 0 };
    const bucket = REPORT_BUCKETS_SECONDS.indexOf(upTo);
    series.counts[bucket < 0 ? REPORT_BUCKETS_SECONDS.length : bucket]! += reports;
    series.seconds += milliseconds / 1000;
    durations.set(key, series);
  }
  return [...durations.values()];
}

export type ReportFigures = Awaited<ReturnType<typeof readReportFigures>>;

/**
 * Counts the open reports of all accounts in the read model, which might lag. Intake adds those that it accepted
 * itself.
 */
export const countOpenReports = async (reads: LiveReads): Promise<number> => (await openReports(reads, [])).open;

/** Returns the number of open reports and, from the same snapshot, which of the reports can be read, open or closed. */
export async function openReports(reads: LiveReads, reportIds: readonly string[]) {
  const [row] = await reads.many((live) => {
    const { reports, isLive } = liveTokens(REPORTS, live);
    return sql.type(openAndKnown)`
      select (select count(*) from ${reports} where closed_at is null) as open,
        array(select report_id::text from ${reports} where report_id = any(${sql.array(reportIds, 'uuid')})) as known
      where ${isLive}`;
  });
  return { open: row!.open, known: new Set(row!.known) };
}
