import { REPORTS, reportsTable } from '../../projections/reports/tables.ts';
import { type QueryContext, requireLive } from '../../domain/ports/projection.ts';

const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 25;

/** Resolves true once the report can be read, false when the deadline (clock milliseconds) passes first. */
export async function awaitReport({ reads, clock }: QueryContext, reportId: string, deadline: number): Promise<boolean> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 1.5)) {
    const rows = await reads.texts((live) => {
      const generation = live(REPORTS);
      return {
        name: `report_is_there_g${generation}`,
        text: `select 1 from ${reportsTable(generation)} where report_id = $1::uuid and ${requireLive(REPORTS, generation)}`,
        values: [reportId],
      };
    });
    if (rows.length > 0) return true;
    if (clock.now() >= deadline) return false;
    await clock.sleep(pause);
  }
}
