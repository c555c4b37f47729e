import { REPORT_BUCKETS_SECONDS, type ReportMeasure, REPORTS } from '../../projections/reports/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import type { ReportStatus } from '../../domain/reports.ts';
import { liveRows } from '../live-tables.ts';

interface ReportDurations {
  readonly measure: ReportMeasure;
  readonly status: ReportStatus;
  /** Reports by bucket, not cumulated, in the order of `bounds`; the last is for what is above all of them. */
  readonly counts: number[];
  seconds: number;
}

/** The cost does not depend on the number of closed reports. */
export async function readReportFigures(reads: LiveReads) {
  const open = await liveRows(reads, REPORTS, {
    name: 'report_figures_open',
    text: ({ reports, isLive }) =>
      `select status, count(*)::text, min(submitted_at)::text from ${reports} where closed_at is null and ${isLive} group by status`,
  });
  const tallies = await liveRows(reads, REPORTS, {
    name: 'report_figures_tallies',
    text: ({ tallies, isLive }) =>
      `select measure, status, up_to_seconds::text, reports::text, milliseconds::text from ${tallies} where ${isLive} order by measure, status`,
  });
  const durations = new Map<string, ReportDurations>();
  for (const [measure, status, upTo, reports, milliseconds] of tallies) {
    const key = `${measure} ${status}`;
    const series = durations.get(key) ?? {
      measure: measure as ReportMeasure,
      status: status as ReportStatus,
      counts: Array.from({ length: REPORT_BUCKETS_SECONDS.length + 1 }, () => 0),
      seconds: 0,
    };
    const bucket = REPORT_BUCKETS_SECONDS.indexOf(Number(upTo));
    series.counts[bucket < 0 ? REPORT_BUCKETS_SECONDS.length : bucket]! += Number(reports);
    series.seconds += Number(milliseconds) / 1000;
    durations.set(key, series);
  }
  const oldest = open.map(([, , submittedAt]) => Number(submittedAt));
  return {
    open: new Map(open.map(([status, count]) => [status as ReportStatus, Number(count)])),
    /** Clock milliseconds; null while none is open. */
    oldestOpen: oldest.length === 0 ? null : Math.min(...oldest),
    bounds: REPORT_BUCKETS_SECONDS,
    durations: [...durations.values()],
  };
}

export type ReportFigures = Awaited<ReturnType<typeof readReportFigures>>;

/** Of all accounts, in the read model, which may lag behind new reports and closings: intake counts its own new reports in addition. */
export const countOpenReports = async (reads: LiveReads): Promise<number> => (await openReports(reads, [])).open;

/** The number of open reports, and which of the given ones can be read, open or closed, at one moment. */
export async function openReports(reads: LiveReads, reportIds: readonly string[]) {
  const [row] = await liveRows(reads, REPORTS, {
    name: 'open_reports',
    text: ({ reports, isLive }) =>
      `select (select count(*) from ${reports} where closed_at is null)::text,
        (select coalesce(string_agg(report_id::text, ' '), '') from ${reports} where report_id = any($1::uuid[]))
      where ${isLive}`,
    values: [reportIds],
  });
  return { open: Number(row![0]), known: new Set(row![1]!.split(' ')) };
}
