import type { CommandContext } from '../decider.ts';
import { type CommandPorts, newEvents, pauseBeforeRetry } from '../handle.ts';
import { decide, evolve, initialState, type RecordIntent } from './record-decider.ts';
import { recordVersion } from '../../domain/events/record-events.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import {
  type EventLog,
  type NewEvent,
  NO_STREAM,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { Rejection } from '../../domain/rejections.ts';

export type RecordOutcome =
  | { readonly kind: 'appended'; readonly position: Position }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'rejected'; readonly reason: string };

export interface NumberedIntent {
  readonly intent: RecordIntent;
  readonly causedBy: string | undefined;
  /** Its place among the changes. */
  readonly index: number;
  /** The id of its event derives from the id of the whole and this number. */
  readonly number: number;
}

export interface HandlingEach extends CommandPorts {
  /** The same in each attempt, so that each event is stored once. */
  readonly commandId: string;
  readonly context: CommandContext;
  /** Milliseconds for which a command is decided again after conflicts and lost connections. */
  readonly deadlineMs: number;
  /** Whether the first attempt appends to streams of which it has read nothing, as if they were new. A conflict shows those that are not. */
  readonly areLikelyNew: boolean;
  /** Awaited right before each append, with the expected revision of every stream; throws when another process has the command. */
  readonly claim: ((revisions: ReadonlyMap<string, number>) => Promise<void>) | undefined;
}

interface Decision {
  readonly stream: string;
  readonly commands: readonly NumberedIntent[];
  /** Undefined where no command of the stream changes anything. */
  readonly append: StreamAppend | undefined;
  /** Of the commands that made no event, by index. */
  readonly outcomes: ReadonlyMap<number, RecordOutcome>;
  /** Set where an earlier attempt turns out to have been stored. */
  readonly stored?: Position;
}

const MAX_UNKNOWN_ATTEMPTS = 20;

/**
 * Handles commands of many streams, each stream by itself. One call reads the newest event of every stream and one call appends; after a
 * conflict or an unknown outcome the events are looked up by their ids, and the commands are decided again. Returns the outcomes by index,
 * and whether every stream was new.
 */
export async function handleEach(
  handling: HandlingEach,
  commands: ReadonlyMap<string, readonly NumberedIntent[]>,
): Promise<{ readonly outcomes: ReadonlyMap<number, RecordOutcome>; readonly wereNew: boolean }> {
  const { log, clock, identifiers, claim } = handling;
  const deadline = clock.now() + handling.deadlineMs;
  const outcomes = new Map<number, RecordOutcome>();
  let pending = commands;
  let tried: readonly Decision[] = [];
  let wereNew = true;
  // A guess is no attempt: where it is wrong, the first attempt follows at once.
  const first = handling.areLikelyNew ? -1 : 0;
  for (let attempt = first; pending.size > 0; attempt++) {
    // A fresh id: two processes may handle the same command.
    if (attempt > 0) await pauseBeforeRetry(clock, identifiers.next(), attempt - 1);
    const decisions = await decideAll(handling, pending, tried, attempt === -1);
    wereNew &&= attempt === first && decisions.every(({ append }) => append?.expectedRevision === NO_STREAM);
    const appends = decisions.flatMap(({ append, stored }) => (stored === undefined ? (append ?? []) : []));
    // What an append of unknown outcome has stored is found by now, also where it ended past the deadline.
    if (attempt > 0 && appends.length > 0 && clock.now() >= deadline) {
      throw new DeadlineExceeded(
        'nothing more could be stored by the deadline: the log was too slow, or other writers kept changing the streams',
      );
    }
    if (appends.length > 0) await claim?.(new Map(appends.map(({ stream, expectedRevision }) => [stream, expectedRevision])));
    const appended = await appendAll(log, appends, attempt < MAX_UNKNOWN_ATTEMPTS && clock.now() < deadline);
    const positionOf = ({ stream, stored }: Decision): Position | undefined => stored ?? appended.get(stream);
    tried = decisions.filter((decision) => decision.append !== undefined && positionOf(decision) === undefined);
    pending = new Map(tried.map((decision) => [decision.stream, decision.commands]));
    for (const decision of decisions.filter(({ stream }) => !pending.has(stream))) {
      for (const { index } of decision.commands) {
        outcomes.set(index, decision.outcomes.get(index) ?? { kind: 'appended', position: positionOf(decision)! });
      }
    }
  }
  return { outcomes, wereNew };
}

async function decideAll(
  { log, clock, commandId, context }: HandlingEach,
  pending: ReadonlyMap<string, readonly NumberedIntent[]>,
  tried: readonly Decision[],
  areLikelyNew: boolean,
): Promise<readonly Decision[]> {
  const time = clock.now();
  const at = new Date(time).toISOString();
  // A record that is not known cannot be withdrawn: its stream is read.
  const isGuessed = (commands: readonly NumberedIntent[]) =>
    areLikelyNew && commands.every(({ intent }) => intent.type === 'PublishRecord');
  const read = [...pending].flatMap(([stream, commands]) => (isGuessed(commands) ? [] : [stream]));
  const last = read.length === 0 ? new Map<string, StoredEvent>() : await log.readLast(read);
  const stored = await storedMeanwhile(log, tried, last);
  return [...pending].map(([stream, commands]) => {
    const earlier = stored.get(stream);
    if (earlier !== undefined) return earlier;
    const newest = last.get(stream);
    let state = newest === undefined ? initialState() : evolve(initialState(), newest);
    const events: NewEvent[] = [];
    const outcomes = new Map<number, RecordOutcome>();
    for (const { index, number, intent, causedBy } of commands) {
      const decision = decide({ ...intent, at }, state);
      if (decision instanceof Rejection) outcomes.set(index, { kind: 'rejected', reason: decision.message });
      else if (decision.length === 0) outcomes.set(index, { kind: 'unchanged' });
      else {
        const issued = causedBy === undefined ? context : { ...context, causedBy };
        const version = recordVersion(stream, decision[0]!.type);
        events.push(...newEvents(decision, { commandId, time, context: issued, firstNumber: number, ...version }));
        if (commands.length > 1) for (const event of decision) state = evolve(state, event);
      }
    }
    const append = events.length === 0 ? undefined : { stream, expectedRevision: newest?.revision ?? NO_STREAM, events };
    return { stream, commands, append, outcomes };
  });
}

/**
 * The decisions whose append is stored after all, by stream: the ids of the events past the expected revision show it. Looked up between
 * the read of the state and the next decision: else a command whose append is stored late would be decided on top of its own events.
 */
async function storedMeanwhile(
  log: EventLog,
  tried: readonly Decision[],
  last: ReadonlyMap<string, StoredEvent>,
): Promise<ReadonlyMap<string, Decision>> {
  const stored = new Map<string, Decision>();
  const look = async (decision: Decision): Promise<void> => {
    const { stream, expectedRevision, events } = decision.append!;
    if ((last.get(stream)?.revision ?? NO_STREAM) <= expectedRevision) return;
    const end = expectedRevision + events.length;
    for await (const { id, revision, position } of streamEvents(log, stream, expectedRevision)) {
      if (revision === expectedRevision + 1 && id !== events[0]!.id) return;
      if (revision === end) return void stored.set(stream, { ...decision, stored: position });
    }
  };
  await Promise.all(tried.map(look));
  return stored;
}

/** The positions of the appends that are known to be stored, by stream. */
async function appendAll(log: EventLog, appends: readonly StreamAppend[], mayRetry: boolean): Promise<ReadonlyMap<string, Position>> {
  try {
    const outcomes = appends.length === 0 ? [] : await log.appendEach(appends);
    return new Map(outcomes.flatMap((outcome, at) => (outcome.kind === 'appended' ? [[appends[at]!.stream, outcome.position]] : [])));
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || !mayRetry) throw error;
    return new Map();
  }
}
