import { REPORTS, reportsTable } from '../../projections/reports/tables.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';

/**
 * How many reports are open, of all accounts, as far as the read model has folded the log. Intake that must never exceed its cap counts
 * what it lets in by itself beyond this: the read model may lag both ways, by receipts just given and by closings.
 */
export async function countOpenReports(reads: LiveReads): Promise<number> {
  const [row] = await reads.texts((live) => {
    const generation = live(REPORTS);
    return {
      name: `count_open_reports_g${generation}`,
      text: `select count(*)::text from ${reportsTable(generation)} where closed_at is null and ${requireLive(REPORTS, generation)}`,
      values: [],
    };
  });
  return Number(row![0]);
}
