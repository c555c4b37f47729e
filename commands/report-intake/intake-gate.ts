import type { EventLog } from '../../domain/ports/event-log.ts';
import type { ReportLeases } from '../../domain/ports/report-leases.ts';
import { Rejection } from '../../domain/rejections.ts';
import { readSwitches } from '../../domain/report-switches.ts';

/** Why intake is closed now, or null: an operator has paused it, or the day's investigations are used up. */
export const createIntakeGate =
  (parts: { readonly log: Pick<EventLog, 'readLast'>; readonly leases: Pick<ReportLeases, 'begun'>; readonly dailyBudget: number }) =>
  async (now: number): Promise<Rejection | null> => {
    const [{ intake }, begun] = await Promise.all([readSwitches(parts.log), parts.leases.begun(now)]);
    if (intake.paused) return new Rejection('intake_paused', 'no reports are taken in now; try again later');
    if (begun >= parts.dailyBudget) return new Rejection('budget_exhausted', 'the investigations of the day (UTC) are used up');
    return null;
  };
