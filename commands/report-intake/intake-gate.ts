import type { EventLog } from '../../src/domain/ports/event-log.ts';
import type { ReportLeases } from '../../src/domain/ports/report-leases.ts';
import { Rejection } from '../../src/domain/rejections.ts';
import { readSwitches } from '../../src/domain/report-switches.ts';

/** Why no report of anybody is taken in now, or null: an operator has paused intake, or nobody could look into it before tomorrow. */
export const createIntakeGate =
  (parts: { readonly log: Pick<EventLog, 'readLast'>; readonly leases: Pick<ReportLeases, 'begun'>; readonly dailyBudget: number }) =>
  async (now: number): Promise<Rejection | null> => {
    const [{ intake }, begun] = await Promise.all([readSwitches(parts.log), parts.leases.begun(now)]);
    if (intake.paused) return new Rejection('intake_paused', 'no reports are taken in now; try again later');
    if (begun >= parts.dailyBudget) return new Rejection('budget_exhausted', 'the investigations of the day (UTC) are used up');
    return null;
  };
