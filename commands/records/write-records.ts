import { eventId, type Identifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import {
  type AppendOutcome,
  type EventLog,
  type EventMetadata,
  NO_STREAM,
  type NewEvent,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
  type StreamAppend,
} from '../../domain/ports/event-log.ts';
import { Rejection } from '../../domain/rejections.ts';
import { recordStream } from '../../domain/streams.ts';
import { checkChange } from './check-change.ts';
import { decide, evolve, initialState, type RecordIntent } from './record-decider.ts';
import type { RecordOutcome, RecordWriter } from './record-writer.ts';

interface PendingChange {
  readonly index: number;
  /** Of its event, within the command. */
  readonly number: number;
  readonly causedBy: string | undefined;
  readonly intent: RecordIntent;
}

interface Decision {
  readonly stream: string;
  readonly changes: PendingChange[];
  /** Undefined where every change of the stream is already so. */
  readonly append: StreamAppend | undefined;
  /** Indexes of the changes that made an event. */
  readonly changed: ReadonlySet<number>;
  /** Why a change was refused, by its index. */
  readonly refused: ReadonlyMap<number, string>;
  /** Set where an earlier attempt turns out to have been stored. */
  readonly stored?: Position;
}

export interface WriteRecordsDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** How long a change is decided again after conflicts and lost connections, in milliseconds. */
  readonly deadlineMs: number;
}

/**
 * Writes record changes as one command, each stream by itself: the newest event of every stream is read in one call, all appends go in one call, and
 * what met a conflict or an unknown outcome is looked up by its event ids and decided again. Throws `DeadlineExceeded` when the deadline passes, and what the log throws.
 */
export const createRecordWriter = ({ log, clock, identifiers, deadlineMs }: WriteRecordsDependencies): RecordWriter => ({
  async write(changes, context, delivery) {
    const commandId = delivery?.commandId ?? identifiers.next();
    const outcomes = Array.from<RecordOutcome | undefined>({ length: changes.length });
    let pending = new Map<string, PendingChange[]>();
    for (const [index, change] of changes.entries()) {
      const checked = checkChange(change);
      if (checked.kind === 'rejected') {
        outcomes[index] = checked;
        continue;
      }
      const stream = recordStream(change.resource, checked.id);
      if (delivery?.stored.has(stream) === true) {
        outcomes[index] = { kind: 'unchanged' };
        continue;
      }
      const ofStream = pending.get(stream);
      const next = { index, number: delivery?.numbers[index] ?? index, intent: checked.intent, causedBy: change.causedBy };
      if (ofStream === undefined) pending.set(stream, [next]);
      else ofStream.push(next);
    }

    const deadline = clock.now() + deadlineMs;
    let unknown = new Map<string, Decision>();
    for (let attempt = 0; pending.size > 0; attempt++) {
      if (attempt > 0) await pause(attempt, clock, deadline, identifiers.next());
      const decisions = await decideAll(log, pending, unknown, clock.now(), { commandId, ...context });
      const revisions = revisionsOf(decisions);
      if (revisions.size > 0) await delivery?.claim(revisions);
      const settled = await appendAll(log, decisions, attempt < 20 && clock.now() < deadline);
      pending = new Map();
      unknown = new Map();
      for (const [index, decision] of decisions.entries()) {
        const outcome = settled[index]!;
        if (outcome.kind === 'settled') {
          for (const { index: at } of decision.changes) outcomes[at] = outcomeOf(decision, at, outcome.position);
          continue;
        }
        pending.set(decision.stream, decision.changes);
        if (outcome.kind === 'unknown') unknown.set(decision.stream, decision);
      }
    }
    return outcomes as readonly RecordOutcome[];
  },
});

/** Where the streams that are about to grow stand. */
const revisionsOf = (decisions: readonly Decision[]): ReadonlyMap<string, number> =>
  new Map(
    decisions.flatMap(({ append, stored }) =>
      append === undefined || stored !== undefined ? [] : [[append.stream, append.expectedRevision] as const],
    ),
  );

const outcomeOf = ({ changed, refused }: Decision, index: number, position: Position | undefined): RecordOutcome => {
  const reason = refused.get(index);
  if (reason !== undefined) return { kind: 'rejected', reason };
  return changed.has(index) && position !== undefined ? { kind: 'appended', position } : { kind: 'unchanged' };
};

/** The jitter comes from a fresh id: competing writers part, and randomness comes through its port. */
const pause = async (attempt: number, clock: Clock, deadline: number, id: string): Promise<void> => {
  if (clock.now() >= deadline) {
    throw new DeadlineExceeded('the records were not written by the deadline: the log was too slow, or other writers kept changing them');
  }
  const jitter = Number.parseInt(id.slice(-4), 16) / 0x10000;
  await clock.sleep(jitter * Math.min(200, 2 ** attempt));
};

const decideAll = async (
  log: EventLog,
  pending: ReadonlyMap<string, PendingChange[]>,
  unknown: ReadonlyMap<string, Decision>,
  time: number,
  metadata: EventMetadata,
): Promise<readonly Decision[]> => {
  const last = await log.readLast([...pending.keys()]);
  const at = new Date(time).toISOString();
  const stored = await storedMeanwhile(log, unknown, last);
  return [...pending].map(([stream, changes]) => {
    const earlier = stored.get(stream);
    if (earlier !== undefined) return earlier;
    const newest = last.get(stream);
    let state = newest === undefined ? initialState() : evolve(initialState(), newest);
    const events: NewEvent[] = [];
    const changed = new Set<number>();
    const refused = new Map<number, string>();
    for (const { index, number, intent, causedBy } of changes) {
      const decision = decide({ ...intent, at }, state);
      if (decision instanceof Rejection) refused.set(index, decision.message);
      else {
        for (const event of decision) {
          events.push({
            ...event,
            id: eventId(metadata.commandId, number),
            schemaVersion: 1,
            metadata: causedBy === undefined ? metadata : { ...metadata, causedBy },
            time,
          });
          if (changes.length > 1) state = evolve(state, event);
          changed.add(index);
        }
      }
    }
    const append = events.length === 0 ? undefined : { stream, expectedRevision: newest?.revision ?? NO_STREAM, events };
    return { stream, changes, append, changed, refused };
  });
};

/**
 * An append of unknown outcome may be stored after it was looked up. Where its stream has grown since, the look is repeated after the
 * state was read and before anything is decided upon it: else the command would be decided a second time on top of itself.
 */
const storedMeanwhile = async (
  log: EventLog,
  unknown: ReadonlyMap<string, Decision>,
  last: ReadonlyMap<string, StoredEvent>,
): Promise<ReadonlyMap<string, Decision>> => {
  const stored = new Map<string, Decision>();
  for (const [stream, decision] of unknown) {
    const append = decision.append!;
    if ((last.get(stream)?.revision ?? NO_STREAM) <= append.expectedRevision) continue;
    const position = await findOwn(log, append);
    if (position !== undefined) stored.set(stream, { ...decision, stored: position });
  }
  return stored;
};

type Settled = { readonly kind: 'settled'; readonly position?: Position } | { readonly kind: 'conflict' | 'unknown' };

const appendAll = async (log: EventLog, decisions: readonly Decision[], mayRetry: boolean): Promise<readonly Settled[]> => {
  const appends = decisions.flatMap(({ append, stored }) => (stored === undefined ? (append ?? []) : []));
  let outcomes: readonly AppendOutcome[] | undefined;
  try {
    outcomes = appends.length === 0 ? [] : await log.appendEach(appends);
  } catch (error) {
    if (!(error instanceof OutcomeUnknown) || !mayRetry) throw error;
  }
  let next = 0;
  return Promise.all(
    decisions.map(async ({ append, stored }): Promise<Settled> => {
      if (stored !== undefined) return { kind: 'settled', position: stored };
      if (append === undefined) return { kind: 'settled' };
      const outcome = outcomes?.[next++];
      if (outcome?.kind === 'appended') return { kind: 'settled', position: outcome.position };
      const position = await findOwn(log, append);
      if (position !== undefined) return { kind: 'settled', position };
      return { kind: outcome === undefined ? 'unknown' : 'conflict' };
    }),
  );
};

/** After a conflict or an unknown outcome: did this very command get through? Its event ids past the expected revision say so. */
const findOwn = async (log: EventLog, { stream, expectedRevision, events }: StreamAppend): Promise<Position | undefined> => {
  const since = await log.readStream(stream, expectedRevision, events.length);
  return since[0]?.id === events[0]!.id ? since.at(-1)!.position : undefined;
};
