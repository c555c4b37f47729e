import { REPORT_SWITCH_TURNED, type ReportSwitch, reportSwitchTurned } from '../../domain/events/report-events.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import { reportSwitchStream } from '../../domain/streams.ts';
import type { Decider } from '../decider.ts';
import { type CommandPorts, handle, type Handled } from '../handle.ts';
import { rejectInvalid } from './report-decider.ts';

type Turned = ReturnType<typeof reportSwitchTurned.parse>;
interface TurnedEvent {
  readonly type: typeof REPORT_SWITCH_TURNED;
  readonly data: Turned;
}

const switchDecider: Decider<boolean, Turned, TurnedEvent> = {
  initialState: () => false,
  decide: (turn, paused) => (turn.paused === paused ? [] : [{ type: REPORT_SWITCH_TURNED, data: turn }]),
  evolve: (_, { data }) => data.paused,
  read: ({ data }: StoredEvent) => ({ type: REPORT_SWITCH_TURNED, data: reportSwitchTurned.parse(JSON.parse(data)) }),
  schemaVersion: 1,
};

/**
 * Pauses or resumes intake or the work on reports in every process; repeating the current setting changes nothing.
 * Refuses an empty or too long name or reason with `invalid_input`.
 */
export async function turnReportSwitch(
  ports: CommandPorts,
  what: ReportSwitch,
  turn: Turned,
  deadline: number,
): Promise<Handled> {
  const parsed = reportSwitchTurned.safeParse(turn);
  if (!parsed.success) return rejectInvalid(parsed.error);
  const [stream, commandId] = [reportSwitchStream(what), ports.identifiers.next()];
  return handle({ ...ports, decider: switchDecider, stream, command: parsed.data, commandId, context: {}, deadline });
}
