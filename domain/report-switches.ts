import type { z } from 'zod';
import { reportSwitchTurned } from './events/report-events.ts';
import type { EventLog } from './ports/event-log.ts';
import { reportSwitchStream } from './streams.ts';

export const REPORT_SWITCHES = ['intake', 'worker'] as const;
export type ReportSwitch = (typeof REPORT_SWITCHES)[number];

export type ReportSwitches = Readonly<Record<ReportSwitch, z.output<typeof reportSwitchTurned>>>;

const NEVER_TURNED = { paused: false, by: 'nobody', reason: null };

/**
 * Whether intake and the worker are paused now, straight from the log (one look, never stale). Intake refuses a new report with
 * `intake_paused` while `intake.paused`, after replays have been answered; how many reports are open is `countOpenReports` in `queries`.
 */
export async function readSwitches(log: Pick<EventLog, 'readLast'>): Promise<ReportSwitches> {
  const last = await log.readLast(REPORT_SWITCHES.map(reportSwitchStream));
  const state = (what: ReportSwitch) => {
    const event = last.get(reportSwitchStream(what));
    return event === undefined ? NEVER_TURNED : reportSwitchTurned.parse(JSON.parse(event.data));
  };
  return { intake: state('intake'), worker: state('worker') };
}
