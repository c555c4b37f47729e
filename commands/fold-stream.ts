import { createHash } from 'node:crypto';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../domain/ports/decider-checkpoints.ts';
import { type EventLog, NO_STREAM, type Position, type StoredEvent } from '../domain/ports/event-log.ts';
import { streamEvents } from '../domain/read-log.ts';
import type { CheckpointForm, Fold } from './decider.ts';

/**
 * Folds a stream, from a checkpoint where the fold declares one. To keep a command's cost flat on a stream that grows without end: give
 * the decider a `checkpoint` (name, version, every so many events, how its state is written and read) whose state stays bounded, and hand
 * `checkpoints` to `handle` or `foldStream`. Nothing else changes, and without `checkpoints` the stream is read from its start.
 */
export interface FoldParts {
  readonly log: EventLog;
  readonly checkpoints?: DeciderCheckpoints | undefined;
}

/** A stream as far as it has been folded. */
export interface Folded<State> {
  readonly state: State;
  /** Of the last event folded; `NO_STREAM` and nulls before the first. */
  readonly revision: number;
  readonly eventId: string | null;
  readonly position: Position | null;
  /** Revision of the checkpoint last used or made. */
  readonly checkpointed: number;
  /** See `DeciderCheckpoints`. */
  readonly mark: string | null;
}

/** The state that all events of a stream come to now. Throws what reading the log throws. */
export const foldStream = async <State, Event>(parts: FoldParts, fold: Fold<State, Event>, stream: string): Promise<Folded<State>> =>
  foldOn(parts, fold, stream, await beginFold(parts, fold, stream));

/** Where folding starts: at the stream's checkpoint if it has one that stands, else before its first event. */
export const beginFold = async <State, Event>(parts: FoldParts, fold: Fold<State, Event>, stream: string): Promise<Folded<State>> => {
  const start = { state: fold.initialState(), revision: NO_STREAM, eventId: null, position: null, checkpointed: NO_STREAM, mark: null };
  const form = fold.checkpoint;
  if (form === undefined || parts.checkpoints === undefined) return start;
  // Before anything is read: what is erased later counts as not seen.
  const { kept, mark } = await parts.checkpoints.load(stream, form.name);
  const fromStart = { ...start, mark };
  if (kept === null || kept.version !== form.version || kept.seal !== sealOf(kept)) return fromStart;
  const state = stateOf(form, kept.state);
  if (state === undefined) return fromStart;
  // A log that was restored, or another log, has some other event there, or none.
  const [last] = await parts.log.readStream(stream, kept.revision - 1, 1);
  if (last?.revision !== kept.revision || last.id !== kept.eventId) return fromStart;
  return { ...state, revision: kept.revision, eventId: kept.eventId, position: last.position, checkpointed: kept.revision, mark };
};

/** Where nothing at or before a revision matters to a decision, folding starts behind it. */
export const beginAfter = <State, Event>(fold: Fold<State, Event>, revision: number): Folded<State> => ({
  state: fold.initialState(),
  revision,
  eventId: null,
  position: null,
  // What was folded of a part of the stream is never kept for the whole of it.
  checkpointed: Number.POSITIVE_INFINITY,
  mark: null,
});

const stateOf = <State>(form: CheckpointForm<State>, text: string): { readonly state: State } | undefined => {
  try {
    return { state: form.read(JSON.parse(text)) };
  } catch {
    return undefined;
  }
};

/** Folds the later events and passes each to `seen`. Stores a checkpoint when one is due. */
export const foldOn = async <State, Event>(
  parts: FoldParts,
  fold: Fold<State, Event>,
  stream: string,
  from: Folded<State>,
  seen: (stored: StoredEvent) => void = () => undefined,
): Promise<Folded<State>> => {
  let { state } = from;
  let last: StoredEvent | undefined;
  for await (const stored of streamEvents(parts.log, stream, from.revision)) {
    seen(stored);
    state = fold.evolve(state, fold.read(stored));
    last = stored;
  }
  if (last === undefined) return from;
  const { revision, id: eventId, position } = last;
  const folded = { state, revision, eventId, position, checkpointed: from.checkpointed, mark: from.mark };
  return (await keepIfDue(parts, fold, stream, folded)) ? { ...folded, checkpointed: revision } : folded;
};

const keepIfDue = async <State, Event>(
  { checkpoints }: FoldParts,
  { checkpoint: form }: Fold<State, Event>,
  stream: string,
  { state, revision, eventId, checkpointed, mark }: Folded<State>,
): Promise<boolean> => {
  if (form === undefined || checkpoints === undefined || eventId === null || revision - checkpointed < form.every) return false;
  const made = { stream, decider: form.name, version: form.version, revision, eventId, state: JSON.stringify(form.write(state)) };
  await checkpoints.save({ ...made, seal: sealOf(made) }, mark);
  return true;
};

const sealOf = ({ stream, decider, version, revision, eventId, state }: Omit<DeciderCheckpoint, 'seal'>): string =>
  createHash('sha256')
    .update(JSON.stringify([stream, decider, version, revision, eventId, state]))
    .digest('hex');
