import type { AccountReportEvent } from '../../domain/events/report-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import { accountReportsStream } from '../../domain/streams.ts';
import { type CommandPorts, handle } from '../handle.ts';
import type { IntakeCommand } from './intake-commands.ts';
import { intakeDecider } from './intake-decider.ts';
import type { IntakeState } from './intake-state.ts';

/** Decides on the account's stream and returns the resulting state. Throws the rejection where the command is refused. */
export async function decideOn(
  parts: CommandPorts,
  command: IntakeCommand,
  { accountId, deadline, ...context }: { accountId: string; keyId: string; requestId: string; deadline: number },
): Promise<IntakeState> {
  let state = intakeDecider.initialState();
  let events: readonly AccountReportEvent[] = [];
  const decider = {
    ...intakeDecider,
    decide: (asked: IntakeCommand, current: IntakeState) => {
      const decision = intakeDecider.decide(asked, current);
      state = current;
      events = decision instanceof Rejection ? [] : decision;
      return decision;
    },
  };
  const { log, checkpoints, clock } = parts;
  const stream = accountReportsStream(accountId);
  const commandId = parts.identifiers.next();
  const handled = await handle({
    log,
    checkpoints,
    clock,
    decider,
    stream,
    command,
    commandId,
    context: { accountId, ...context },
    deadline,
  });
  if (handled.kind === 'rejected') throw handled.rejection;
  return events.reduce(intakeDecider.evolve, state);
}
