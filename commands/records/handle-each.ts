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
  /** Index of the change within its command. */
  readonly index: number;
  /** The event id derives from the command id and this number. */
  readonly number: number;
}

type Commands = ReadonlyMap<string, readonly NumberedIntent[]>;

export interface HandlingEach extends CommandPorts {
  /** The same id in each attempt, so that each event is stored once. */
  readonly commandId: string;
  readonly context: CommandContext;
  /** Milliseconds during which commands are decided again after conflicts and lost connections. */
  readonly deadlineMs: number;
  /**
   * Awaited right before each append, with the expected revision of every stream. Throws if another process claimed the
   * command.
   */
  readonly claim: ((revisions: ReadonlyMap<string, number>) => Promise<void>) | undefined;
}

interface Decision {
  readonly stream: string;
  readonly commands: readonly NumberedIntent[];
  /** Undefined if no command changes the stream. */
  readonly append: StreamAppend | undefined;
  /** Outcomes of the commands without an event, by index. */
  readonly outcomes: ReadonlyMap<number, RecordOutcome>;
  /** Set if an earlier attempt was stored after all. */
  readonly stored?: Position;
}

const MAX_UNKNOWN_ATTEMPTS = 20;

/**
 * Handles commands of many streams, each stream by itself. Returns the outcomes by index. An attempt reads the newest
 * event of every pending stream in one call and appends in one call. States of a stream:
 *
 * - pending: the commands are to be decided.
 * - done: no command changes anything, or the append is stored. The commands have outcomes.
 * - tried: the append met a conflict, or its outcome is unknown. The next attempt looks for its events by their ids: if
 *   they are stored, the stream is done, otherwise it is pending again.
 *
 * Throws `DeadlineExceeded`, and what the log and `claim` throw.
 */
export async function handleEach(
  handling: HandlingEach,
  commands: Commands,
): Promise<ReadonlyMap<number, RecordOutcome>> {
  const { clock, identifiers } = handling;
  const deadline = clock.now() + handling.deadlineMs;
  const outcomes = new Map<number, RecordOutcome>();
  let pending = commands;
  let tried: readonly Decision[] = [];
  for (let attempt = 0; pending.size > 0; attempt++) {
    // The jitter derives from a fresh id, because two processes might handle the same command.
    if (attempt > 0) await pauseBeforeRetry(clock, identifiers.next(), attempt - 1);
    const decisions = await decideAll(handling, pending, tried);
    const positions = await storeAll(handling, decisions, { attempt, deadline });
    const isTried = ({ append, stream }: Decision): boolean => append !== undefined && !positions.has(stream);
    tried = decisions.filter(isTried);
    pending = new Map(tried.map((decision) => [decision.stream, decision.commands]));
    for (const decision of decisions) if (!isTried(decision)) addOutcomes(outcomes, decision, positions);
  }
  return outcomes;
}

function addOutcomes(
  outcomes: Map<number, RecordOutcome>,
  decision: Decision,
  positions: ReadonlyMap<string, Position>,
): void {
  for (const { index } of decision.commands) {
    const position = positions.get(decision.stream)!;
    outcomes.set(index, decision.outcomes.get(index) ?? { kind: 'appended', position });
  }
}

/** Returns the positions of the appends that are known to be stored, by stream. */
async function storeAll(
  { log, clock, claim }: HandlingEach,
  decisions: readonly Decision[],
  { attempt, deadline }: { readonly attempt: number; readonly deadline: number },
): Promise<ReadonlyMap<string, Position>> {
  const positions = new Map(
    decisions.flatMap(({ stream, stored }) => (stored === undefined ? [] : [[stream, stored]])),
  );
  const appends = decisions.flatMap(({ append, stored }) => (stored === undefined ? (append ?? []) : []));
  if (appends.length === 0) return positions;
  // The deadline is only checked here, after earlier appends of unknown outcome were looked up.
  if (attempt > 0 && clock.now() >= deadline) {
    throw new DeadlineExceeded(
      'nothing more could be stored by the deadline: the log was too slow, or other writers changed the streams',
    );
  }
  await claim?.(new Map(appends.map(({ stream, expectedRevision }) => [stream, expectedRevision])));
  const canRetry = attempt < MAX_UNKNOWN_ATTEMPTS && clock.now() < deadline;
  for (const [stream, position] of await appendAll(log, appends, canRetry)) positions.set(stream, position);
  return positions;
}

async function decideAll(
  handling: HandlingEach,
  pending: Commands,
  tried: readonly Decision[],
): Promise<readonly Decision[]> {
  const { log, clock } = handling;
  const time = clock.now();
  const last = await log.readLast([...pending.keys()]);
  const stored = await findStored(log, tried, last);
  return [...pending].map(
    ([stream, commands]) =>
      stored.get(stream) ?? decideStream(handling, time, { stream, commands, newest: last.get(stream) }),
  );
}

function decideStream(
  { commandId, context }: HandlingEach,
  time: number,
  { stream, commands, newest }: Pick<Decision, 'stream' | 'commands'> & { readonly newest: StoredEvent | undefined },
): Decision {
  const at = new Date(time).toISOString();
  const events: NewEvent[] = [];
  const outcomes = new Map<number, RecordOutcome>();
  let state = newest === undefined ? initialState() : evolve(initialState(), newest);
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
  const expectedRevision = newest?.revision ?? NO_STREAM;
  return { stream, commands, append: events.length === 0 ? undefined : { stream, expectedRevision, events }, outcomes };
}

/**
 * Returns the decisions whose append was stored after all, by stream; the ids of the events after the expected revision
 * prove it. Called between the read of the state and the next decision, so that a command that was stored late is not
 * decided on top of its own events.
 */
async function findStored(
  log: EventLog,
  tried: readonly Decision[],
  last: ReadonlyMap<string, StoredEvent>,
): Promise<ReadonlyMap<string, Decision>> {
  const stored = new Map<string, Decision>();
  const lookUp = async (decision: Decision): Promise<void> => {
    const { stream, expectedRevision, events } = decision.append!;
    if ((last.get(stream)?.revision ?? NO_STREAM) <= expectedRevision) return;
    const end = expectedRevision + events.length;
    for await (const { id, revision, position } of streamEvents(log, stream, expectedRevision)) {
      if (revision === expectedRevision + 1 && id !== events[0]!.id) return;
      if (revision === end) return void stored.set(stream, { ...decision, stored: position });
    }
  };
  await Promise.all(tried.map(lookUp));
  return stored;
}

/** Returns the positions of the appends that are known to be stored, by stream. */
async function appendAll(
  log: EventLog,
  appends: readonly StreamAppend[],
  canRetry: boolean,
): Promise<ReadonlyMap<string, Position>> {
  try {
    const outcomes = await log.appendEach(appends);
    return new Map(
      outcomes.flatMap((outcome, at) => (outcome.kind === 'appended' ? [[appends[at]!.stream, outcome.position]] : [])),
    );
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || !canRetry) throw error;
    return new Map();
  }
}
