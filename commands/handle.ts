import { z } from 'zod';
import { eventId, type Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import {
  type AppendOutcome,
  type EventMetadata,
  type NewEvent,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
} from '../domain/ports/event-log.ts';
import { Rejection } from '../domain/rejections.ts';
import type { CommandContext, Decider, Fact, Fold } from './decider.ts';
import { beginAfter, beginFold, foldOn, type FoldParts } from './fold-stream.ts';

/** U+0000 or a lone surrogate in JSON text: an odd number of backslashes before the code. */
const NOT_KEPT = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Rejects events that could not be read back, or that PostgreSQL cannot store: they would stop every read model and every decision on their
 * stream. Null where the events are valid.
 */
function refuseUndecodable<State, Event>(
  { read }: Pick<Fold<State, Event>, 'read'>,
  stream: string,
  events: readonly NewEvent[],
): Rejection | null {
  for (const event of events) {
    if (NOT_KEPT.test(event.data)) return new Rejection('invalid_parameter', 'a text holds U+0000 or half a character');
    try {
      read({ ...event, stream, revision: 0, position: '' as Position, metadata: JSON.stringify(event.metadata) });
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error;
      const [issue] = error.issues;
      return new Rejection('invalid_parameter', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not usable'}`);
    }
  }
  return null;
}

/** The ports that all commands use. */
export interface CommandPorts extends FoldParts {
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

interface Handling<State, Command, Event extends Fact> extends FoldParts {
  readonly clock: Clock;
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  /** Revision after which the stream is read, for decisions that do not depend on earlier events. */
  readonly after?: number;
  readonly command: Command;
  /**
   * The same id in each attempt of one command, so that its events are stored once. Events before a checkpoint are not searched: where a
   * command may be repeated much later, its decider must recognise it by its content.
   */
  readonly commandId: string;
  readonly context: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

export type Handled<State = unknown> =
  /** The state with the appended events. */
  | { readonly kind: 'appended'; readonly state: State; readonly position: Position; readonly revision: number }
  /** The state of the decision, and the position of the last event of the stream: a read model past it contains the state. */
  | { readonly kind: 'unchanged'; readonly state: State; readonly position: Position | null }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/**
 * Loads the stream (from its checkpoint, where the decider has one), decides, and appends at the revision of the decision. Decides again after
 * a conflict, until the deadline. Rejects events that could not be read back. Throws `DeadlineExceeded`, `LogUnavailable`, or
 * `OutcomeUnknown` when a second read did not show whether the events were stored.
 */
export async function handle<State, Command, Event extends Fact>(handling: Handling<State, Command, Event>): Promise<Handled<State>> {
  const { decider, stream, commandId, after } = handling;
  let folded = after === undefined ? await beginFold(handling, decider, stream) : beginAfter(decider, after);
  for (let attempt = 0; ; attempt += 1) {
    let own: StoredEvent | undefined;
    folded = await foldOn(handling, decider, stream, folded, (stored) => {
      if (isOf(commandId, stored)) own = stored;
    });
    const { state } = folded;
    if (own !== undefined) return { kind: 'appended', state, position: own.position, revision: own.revision };
    const decision = decider.decide(handling.command, state);
    if (decision instanceof Rejection) return { kind: 'rejected', rejection: decision };
    if (decision.length === 0) return { kind: 'unchanged', state, position: folded.position };
    const decided = decision.map(({ type, data }) => ({ type, data: JSON.stringify(data) }));
    const events = newEvents(decided, { ...handling, time: handling.clock.now(), schemaVersion: decider.schemaVersion });
    const undecodable = refuseUndecodable(decider, stream, events);
    if (undecodable !== null) return { kind: 'rejected', rejection: undecodable };
    // The caller is answered at the deadline: a later decision must not be stored.
    if (handling.clock.now() >= handling.deadline) throw new DeadlineExceeded('nothing could be stored by the deadline');
    const outcome = await append(handling, events, folded.revision);
    if (outcome.kind === 'appended') return { ...outcome, state: decision.reduce((before, event) => decider.evolve(before, event), state) };
    await pauseBeforeRetry(handling.clock, commandId, attempt);
  }
}

const isOf = (commandId: string, stored: StoredEvent): boolean =>
  stored.metadata.includes(commandId) && (JSON.parse(stored.metadata) as EventMetadata).commandId === commandId;

/** Treats an unknown outcome as a conflict: the next read of the stream shows whether the append was stored. */
async function append<State, Command, Event extends Fact>(
  { log, clock, stream, deadline }: Handling<State, Command, Event>,
  events: readonly NewEvent[],
  revision: number,
): Promise<AppendOutcome> {
  try {
    return await log.append({ stream, expectedRevision: revision, events });
  } catch (error) {
    if (error instanceof OutcomeUnknown && clock.now() < deadline) return { kind: 'conflict', actualRevision: revision };
    throw error;
  }
}

const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;
/** Waits after a conflict. The jitter derives from a uuid: competing commands spread, and tests are repeatable. */
export async function pauseBeforeRetry(clock: Clock, id: string, attempt: number): Promise<void> {
  const jitter = 0.5 + Number.parseInt(id.slice(-4), 16) / 0x20000;
  await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS) * jitter);
}

interface IssuedCommand {
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
