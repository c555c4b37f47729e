import { REPORT_BUCKETS_SECONDS, REPORTS } from '../../projections/reports/tables.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import type { ReportStatus } from '../../domain/reports.ts';

/** Durations of one measure that ended in one status. */
interface ReportDurations {
  readonly measure: 'first_move' | 'closing';
  readonly status: ReportStatus;
  /** Reports by bucket, not cumulated, in the order of `bounds`; the last is for what is above all of them. */
  readonly counts: readonly number[];
  readonly seconds: number;
}

export interface ReportFigures {
  readonly open: ReadonlyMap<ReportStatus, number>;
  /** Clock milliseconds; null while none is open. */
  readonly oldestOpen: number | null;
  /** Upper bounds of the buckets in seconds. */
  readonly bounds: readonly number[];
  readonly durations: readonly ReportDurations[];
}

/** Figures about reports for operators, as the read model counts them. The cost does not depend on the number of closed reports. */
export async function readReportFigures(reads: LiveReads): Promise<ReportFigures> {
  const open = await reads.texts((live) => {
    const generation = live(REPORTS.name);
    return {
      name: `report_figures_open_g${generation}`,
      text: `select status, count(*)::text, min(submitted_at)::text from ${REPORTS.at(generation).reports}
        where closed_at is null and ${requireLive(REPORTS.name, generation)} group by status`,
      values: [],
    };
  });
  const tallies = await reads.texts((live) => {
    const generation = live(REPORTS.name);
    return {
      name: `report_figures_tallies_g${generation}`,
      text: `select measure, status, up_to_seconds::text, reports::text, milliseconds::text from ${REPORTS.at(generation).tallies}
        where ${requireLive(REPORTS.name, generation)} order by measure, status`,
      values: [],
    };
  });
  const durations = new Map<string, { measure: ReportDurations['measure']; status: ReportStatus; counts: number[]; seconds: number }>();
  for (const [measure, status, upTo, reports, milliseconds] of tallies) {
    const key = `${measure} ${status}`;
    const series = durations.get(key) ?? {
      measure: measure as ReportDurations['measure'],
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
    oldestOpen: oldest.length === 0 ? null : Math.min(...oldest),
    bounds: REPORT_BUCKETS_SECONDS,
    durations: [...durations.values()],
  };
}

/**
 * The number of open reports of all accounts in the read model, which may lag behind new reports and closings: intake counts its own new reports
 * in addition.
 */
export async function countOpenReports(reads: LiveReads): Promise<number> {
  const [row] = await reads.texts((live) => {
    const generation = live(REPORTS.name);
    return {
      name: `count_open_reports_g${generation}`,
      text: `select count(*)::text from ${REPORTS.at(generation).reports} where closed_at is null and ${requireLive(REPORTS.name, generation)}`,
      values: [],
    };
  });
  return Number(row![0]);
}

/** The number of open reports, and which of the given ones can be read, open or closed, at one moment. */
export async function openReports(
  reads: LiveReads,
  reportIds: readonly string[],
): Promise<{ readonly open: number; readonly known: ReadonlySet<string> }> {
  const [row] = await reads.texts((live) => {
    const generation = live(REPORTS.name);
    const table = REPORTS.at(generation).reports;
    return {
      name: `open_reports_g${generation}`,
      text: `select (select count(*) from ${table} where closed_at is null)::text,
          (select coalesce(string_agg(report_id::text, ' '), '') from ${table} where report_id = any($1::uuid[]))
        where ${requireLive(REPORTS.name, generation)}`,
      values: [reportIds],
    };
  });
  return { open: Number(row![0]), known: new Set(row![1]!.split(' ')) };
}
