import { eventId } from '../domain/identifiers.ts';
import type { NewEvent } from '../domain/ports/event-log.ts';
import type { CommandContext } from './decider.ts';

export interface IssuedCommand {
  readonly commandId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly context?: CommandContext;
  readonly schemaVersion?: number;
  /** Number of the first event within the command. */
  readonly firstNumber?: number;
}

/** The decided events of a command; `data` is JSON text. Their ids derive from the command's, so that a retry is recognised. */
export function newEvents(
  decided: readonly { readonly type: string; readonly data: string }[],
  { commandId, time, context, schemaVersion = 1, firstNumber = 0 }: IssuedCommand,
): readonly NewEvent[] {
  const metadata = { ...context, commandId };
  return decided.map(({ type, data }, index) => ({
    id: eventId(commandId, firstNumber + index),
    type,
    schemaVersion,
    data,
    metadata,
    time,
  }));
}
