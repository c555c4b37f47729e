import { createHash } from 'node:crypto';
import type { DeciderCheckpoint, DeciderCheckpoints } from '../domain/ports/decider-checkpoints.ts';
import { type EventLog, NO_STREAM, type Position, type StoredEvent } from '../domain/ports/event-log.ts';
import { streamEvents } from '../domain/read-log.ts';
import type { CheckpointForm, Fold } from './decider.ts';

/**
 * Folds a stream, from a checkpoint where the fold declares one. For a stream that grows without a bound, give the decider a `checkpoint`
 * with a bounded state and pass `checkpoints` to `handle` or `foldStream`: the cost of a command then stays constant. Without `checkpoints`
 * the stream is read from its start.
 */
export interface FoldParts {
  readonly log: EventLog;
  readonly checkpoints?: DeciderCheckpoints | undefined;
}

/** The fold of a stream up to a revision. */
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

/** Folds all events of a stream. Throws what the log throws. */
export const foldStream = async <State, Event>(parts: FoldParts, fold: Fold<State, Event>, stream: string): Promise<Folded<State>> =>
  foldOn(parts, fold, stream, await beginFold(parts, fold, stream));

/** The start of a fold: the checkpoint of the stream if it is valid, else the state before the first event. */
export async function beginFold<State, Event>(parts: FoldParts, fold: Fold<State, Event>, stream: string): Promise<Folded<State>> {
  const start = { state: fold.initialState(), revision: NO_STREAM, eventId: null, position: null, checkpointed: NO_STREAM, mark: null };
  const form = fold.checkpoint;
  if (form === undefined || parts.checkpoints === undefined) return start;
  // Loaded before any event is read: a later erasure makes the checkpoint invalid.
  const { kept, mark } = await parts.checkpoints.load(stream, form.name);
  const fromStart = { ...start, mark };
  if (kept === null || kept.version !== form.version || kept.seal !== sealOf(kept)) return fromStart;
  const state = stateOf(form, kept.state);
  if (state === undefined) return fromStart;
  // A restored log, or another one, has another event there or none.
  const [last] = await parts.log.readStream(stream, kept.revision - 1, 1);
  if (last?.revision !== kept.revision || last.id !== kept.eventId) return fromStart;
  return { ...state, revision: kept.revision, eventId: kept.eventId, position: last.position, checkpointed: kept.revision, mark };
}

/** The start of a fold after a revision, for decisions that do not depend on earlier events. */
export const beginAfter = <State, Event>(fold: Fold<State, Event>, revision: number): Folded<State> => ({
  state: fold.initialState(),
  revision,
  eventId: null,
  position: null,
  // The state of a part of a stream must not be stored as a checkpoint.
  checkpointed: Number.POSITIVE_INFINITY,
  mark: null,
});

function stateOf<State>(form: CheckpointForm<State>, text: string): { readonly state: State } | undefined {
  try {
    return { state: form.read(JSON.parse(text)) };
  } catch {
    return undefined;
  }
}

/** Folds the later events and passes each to `seen`. Stores a checkpoint when one is due. */
export async function foldOn<State, Event>(
  parts: FoldParts,
  fold: Fold<State, Event>,
  stream: string,
  from: Folded<State>,
  seen: (stored: StoredEvent) => void = () => undefined,
): Promise<Folded<State>> {
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
}

async function keepIfDue<State, Event>(
  { checkpoints }: FoldParts,
  { checkpoint: form }: Fold<State, Event>,
  stream: string,
  { state, revision, eventId, checkpointed, mark }: Folded<State>,
): Promise<boolean> {
  if (form === undefined || checkpoints === undefined || eventId === null || revision - checkpointed < form.every) return false;
  const made = { stream, decider: form.name, version: form.version, revision, eventId, state: JSON.stringify(form.write(state)) };
  await checkpoints.save({ ...made, seal: sealOf(made) }, mark);
  return true;
}

const sealOf = ({ stream, decider, version, revision, eventId, state }: Omit<DeciderCheckpoint, 'seal'>): string =>
  createHash('sha256')
    .update(JSON.stringify([stream, decider, version, revision, eventId, state]))
    .digest('hex');
