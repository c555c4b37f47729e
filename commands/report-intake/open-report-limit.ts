import { DeadlineExceeded } from '../../domain/ports/database.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { ReportQueue } from '../../domain/ports/report-stores.ts';

export interface OpenReportLimitParts {
  readonly queue: ReportQueue;
  readonly clock: Clock;
  /** Open reports of all accounts at most. */
  readonly limit: number;
  /** Waits until the read model of reports has seen all that the log holds now; false at the deadline (clock milliseconds). */
  readonly caughtUp: (deadline: number) => Promise<boolean>;
  /** The number of open reports, and which of the given ones the read model contains. */
  readonly openReports: (reportIds: readonly string[]) => Promise<{ readonly open: number; readonly known: ReadonlySet<string> }>;
}

/** An append that was under way at the deadline has come to its end this long after it, whatever became of the connection. */
const GRACE_MS = 120_000;

/**
 * The limit of open reports over all accounts and processes: a function that reserves a place for a report that will be made by the deadline
 * (clock milliseconds), or never. It resolves to false where there is none, and throws `DeadlineExceeded` if that is unknown by then.
 *
 * Every open report is counted or reserved. The count may only be too high, since closings do not change it; where the limit is reached it is
 * corrected from the read model. A place whose taker died is freed once the taker can have nothing under way any more and the read model, having
 * seen the whole log since, does not know the report.
 */
export function createOpenReportLimit({ queue, clock, limit, caughtUp, openReports }: OpenReportLimitParts) {
  let recountedHere = false;

  /** False where the read model has not caught up by the deadline, and nothing was learned. */
  const recount = async (deadline: number): Promise<boolean> => {
    const seen = await queue.look();
    const now = clock.now();
    if (!(await caughtUp(deadline))) return false;
    const { open, known } = await openReports([...seen.reserved.keys()]);
    const freed = [...seen.reserved].filter(([reportId, until]) => known.has(reportId) || until < now).map(([reportId]) => reportId);
    await queue.recount({ open, freed, seen });
    recountedHere = true;
    return true;
  };

  return async (reportId: string, deadline: number): Promise<boolean> => {
    const place = { reportId, until: deadline + GRACE_MS, limit };
    // The row may be older than a restore; each process recounts once.
    if (!recountedHere) await recount(deadline);
    if (await queue.reserve(place)) return true;
    if (!(await recount(deadline)))
      throw new DeadlineExceeded('whether there is room for another open report could not be determined in time');
    return queue.reserve(place);
  };
}
