import { hash } from 'node:crypto';
import { z } from 'zod';
import type { CheckpointForm, CommandContext, Decider, Fact, Fold } from './decider.ts';
import { eventId, type Identifiers } from '../domain/identifiers.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { DeadlineExceeded } from '../domain/ports/database.ts';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../domain/ports/decider-checkpoints.ts';
import {
  type AppendOutcome,
  type EventLog,
  type EventMetadata,
  type NewEvent,
  NO_STREAM,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
  type StreamAppend,
} from '../domain/ports/event-log.ts';
import { streamEvents } from '../domain/read-log.ts';
import { Rejection } from '../domain/rejections.ts';

/**
 * A stream that grows without bound needs a decider with a bounded `checkpoint`, and `checkpoints`: then the cost of a
 * command stays constant. Without `checkpoints` the stream is read from its start.
 */
interface FoldParts {
  readonly log: EventLog;
  readonly checkpoints?: DeciderCheckpoints | undefined;
}

export interface HandlerPorts extends FoldParts {
  readonly clock: Clock;
}

export interface CommandPorts extends HandlerPorts {
  readonly identifiers: Identifiers;
}

interface Handling<State, Command, Event extends Fact> extends HandlerPorts {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  /** Revision after which the stream is read, for decisions that do not depend on earlier events. */
  readonly after?: number;
  readonly command: Command;
  /**
   * The same id in each attempt of a command, so that its events are stored once. Events before a checkpoint are not
   * searched: if a command might be repeated much later, its decider must recognize it by its content.
   */
  readonly commandId: string;
  readonly context: CommandContext;
  /** Clock milliseconds. */
  readonly deadline: number;
}

export type Handled<State = unknown> =
  | { readonly kind: 'appended'; readonly state: State; readonly position: Position; readonly revision: number }
  /**
   * The state of the decision and the position of the last event of the stream. A read model past it contains the
   * state.
   */
  | { readonly kind: 'unchanged'; readonly state: State; readonly position: Position | null }
  | { readonly kind: 'rejected'; readonly rejection: Rejection };

/**
 * Loads the stream (from its checkpoint, if the decider has one), decides, and appends at the revision of the decision.
 * Decides again after a conflict until the deadline. Rejects events that could not be read back. Throws
 * `DeadlineExceeded`, `LogUnavailable`, or `OutcomeUnknown` if a second read did not show whether the events were
 * stored.
 */
export async function handle<State, Command, Event extends Fact>(
  handling: Handling<State, Command, Event>,
): Promise<Handled<State>> {
  const { decider, stream, commandId, after } = handling;
  let folded = after === undefined ? await beginFold(handling, decider, stream) : beginAfter(decider, after);
  for (let attempt = 0; ; attempt += 1) {
    let own: StoredEvent | undefined;
    folded = await continueFold(handling, decider, stream, folded, (stored) => {
      if (isFromCommand(commandId, stored)) own = stored;
    });
    const { state } = folded;
    if (own !== undefined) return { kind: 'appended', state, position: own.position, revision: own.revision };
    const decision = decider.decide(handling.command, state);
    if (decision instanceof Rejection) return { kind: 'rejected', rejection: decision };
    if (decision.length === 0) return { kind: 'unchanged', state, position: folded.position };
    const decided = decision.map(({ type, data }) => ({ type, data: JSON.stringify(data) }));
    const events = newEvents(decided, {
      ...handling,
      time: handling.clock.now(),
      schemaVersion: decider.schemaVersion,
    });
    const undecodable = refuseUndecodable(decider, stream, events);
    if (undecodable !== null) return { kind: 'rejected', rejection: undecodable };
    // The caller is answered at the deadline, so a later decision must not be stored.
    if (handling.clock.now() >= handling.deadline)
      throw new DeadlineExceeded('nothing could be stored by the deadline');
    const outcome = await append(handling, { stream, expectedRevision: folded.revision, events });
    if (outcome.kind === 'appended')
      return { ...outcome, state: decision.reduce((before, event) => decider.evolve(before, event), state) };
    await pauseBeforeRetry(handling.clock, commandId, attempt);
  }
}

const isFromCommand = (commandId: string, stored: StoredEvent): boolean =>
  stored.metadata.includes(commandId) && (JSON.parse(stored.metadata) as EventMetadata).commandId === commandId;

/** Treats an unknown outcome as a conflict: the next read of the stream shows whether the append was stored. */
async function append(
  { log, clock, deadline }: { readonly log: EventLog; readonly clock: Clock; readonly deadline: number },
  append: StreamAppend,
): Promise<AppendOutcome> {
  try {
    return await log.append(append);
  } catch (error) {
    if (error instanceof OutcomeUnknown && clock.now() < deadline)
      return { kind: 'conflict', actualRevision: append.expectedRevision };
    throw error;
  }
}

const FIRST_PAUSE_MS = 4;
const MAX_PAUSE_MS = 250;
/**
 * Waits after a conflict. The jitter derives from a uuid, so that competing commands spread and tests are repeatable.
 */
export async function pauseBeforeRetry(clock: Clock, id: string, attempt: number): Promise<void> {
  const jitter = 0.5 + Number.parseInt(id.slice(-4), 16) / 0x20000;
  await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS) * jitter);
}

/** A NUL character or an unpaired surrogate in JSON text: an odd number of backslashes before the code. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Returns a rejection for events that PostgreSQL cannot store, or that would stop every read model and each decision on
 * their stream; else null.
 */
function refuseUndecodable(
  { read }: Pick<Fold<unknown, unknown>, 'read'>,
  stream: string,
  events: readonly NewEvent[],
): Rejection | null {
  for (const event of events) {
    if (UNSTORABLE.test(event.data))
      return new Rejection('invalid_parameter', 'a text contains a NUL character or an unpaired surrogate');
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

interface IssuedCommand {
  readonly commandId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly context?: CommandContext;
  readonly schemaVersion?: number;
  /** Number of the first event within the command. */
  readonly firstNumber?: number;
}

/**
 * Creates the events of a command; `data` is JSON text. Their ids derive from the command's id, so that a retry is
 * recognized.
 */
export function newEvents(
  decided: readonly { readonly type: string; readonly data: string }[],
  { commandId, time, context, schemaVersion = 1, firstNumber = 0 }: IssuedCommand,
): readonly NewEvent[] {
  const metadata = { ...context, commandId };
  return decided.map(({ type, data }, index) => {
    const id = eventId(commandId, firstNumber + index);
    return { id, type, schemaVersion, data, metadata, time };
  });
}

interface Folded<State> {
  readonly state: State;
  /** Revision of the last folded event. `NO_STREAM` before the first one, when id and position are null. */
  readonly revision: number;
  readonly eventId: string | null;
  readonly position: Position | null;
  /** Revision of the checkpoint last used or made. */
  readonly checkpointed: number;
  /** See `DeciderCheckpoints`. */
  readonly mark: string | null;
}

export const foldStream = async <State, Event>(
  parts: FoldParts,
  fold: Fold<State, Event>,
  stream: string,
): Promise<Folded<State>> => continueFold(parts, fold, stream, await beginFold(parts, fold, stream));

/** Begins at the checkpoint of the stream if it is valid, else before the first event. */
export async function beginFold<State, Event>(
  parts: FoldParts,
  fold: Fold<State, Event>,
  stream: string,
): Promise<Folded<State>> {
  const start = {
    state: fold.initialState(),
    revision: NO_STREAM,
    eventId: null,
    position: null,
    checkpointed: NO_STREAM,
    mark: null,
  };
  const form = fold.checkpoint;
  if (form === undefined || parts.checkpoints === undefined) return start;
  // Loaded before any event is read, so that a later erasure makes the checkpoint invalid.
  const { checkpoint: stored, mark } = await parts.checkpoints.load(stream, form.name);
  const fromStart = { ...start, mark };
  if (stored === null || stored.version !== form.version || stored.seal !== computeSeal(stored)) return fromStart;
  const state = parseState(form, stored.state);
  if (state === undefined) return fromStart;
  // A restored log, or another one, has a different event at that revision or none.
  const [last] = await parts.log.readStream(stream, stored.revision - 1, 1);
  if (last?.revision !== stored.revision || last.id !== stored.eventId) return fromStart;
  return {
    ...state,
    revision: stored.revision,
    eventId: stored.eventId,
    position: last.position,
    checkpointed: stored.revision,
    mark,
  };
}

const beginAfter = <State, Event>(fold: Fold<State, Event>, revision: number): Folded<State> => ({
  state: fold.initialState(),
  revision,
  eventId: null,
  position: null,
  // A state of only part of a stream must not be stored as a checkpoint.
  checkpointed: Number.POSITIVE_INFINITY,
  mark: null,
});

/** Parses a stored state; undefined if the text is not a state of this form. */
function parseState<State>(form: CheckpointForm<State>, text: string): { readonly state: State } | undefined {
  try {
    return { state: form.read(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}

/** Stores a checkpoint when one is due. */
export async function continueFold<State, Event>(
  parts: FoldParts,
  fold: Fold<State, Event>,
  stream: string,
  from: Folded<State>,
  onEvent: (stored: StoredEvent) => void = () => undefined,
): Promise<Folded<State>> {
  let { state } = from;
  let last: StoredEvent | undefined;
  for await (const stored of streamEvents(parts.log, stream, from.revision)) {
    onEvent(stored);
    state = fold.evolve(state, fold.read(stored));
    last = stored;
  }
  if (last === undefined) return from;
  const { revision, id: eventId, position } = last;
  const folded = { ...from, state, revision, eventId, position };
  return (await saveIfDue(parts, fold, stream, folded)) ? { ...folded, checkpointed: revision } : folded;
}

async function saveIfDue<State, Event>(
  { checkpoints }: FoldParts,
  { checkpoint: form }: Fold<State, Event>,
  stream: string,
  { state, revision, eventId, checkpointed, mark }: Folded<State>,
): Promise<boolean> {
  if (form === undefined || checkpoints === undefined || eventId === null || revision - checkpointed < form.every)
    return false;
  const checkpoint = {
    stream,
    decider: form.name,
    version: form.version,
    revision,
    eventId,
    state: JSON.stringify(form.write(state)),
  };
  await checkpoints.save({ ...checkpoint, seal: computeSeal(checkpoint) }, mark);
  return true;
}

const computeSeal = ({ stream, decider, version, revision, eventId, state }: Omit<DeciderCheckpoint, 'seal'>): string =>
  hash('sha256', JSON.stringify([stream, decider, version, revision, eventId, state]), 'hex');
