import { REPORTS, reportsTable } from '../../projections/reports/tables.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';

/** How many reports are open, and which of the given ones can be read, open or closed; of one moment. */
export async function openReports(
  reads: LiveReads,
  reportIds: readonly string[],
): Promise<{ readonly open: number; readonly known: ReadonlySet<string> }> {
  const [row] = await reads.texts((live) => {
    const generation = live(REPORTS);
    const table = reportsTable(generation);
    return {
      name: `open_reports_g${generation}`,
      text: `select (select count(*) from ${table} where closed_at is null)::text,
          (select coalesce(string_agg(report_id::text, ' '), '') from ${table} where report_id = any($1::uuid[]))
        where ${requireLive(REPORTS, generation)}`,
      values: [reportIds],
    };
  });
  return { open: Number(row![0]), known: new Set(row![1]!.split(' ')) };
}
