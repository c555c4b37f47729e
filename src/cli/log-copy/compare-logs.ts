import { createHash } from 'node:crypto';
import { type EventLog, LOG_START, type Position } from '../../domain/ports/event-log.ts';
import type { PlacePair } from '../../domain/ports/log-moves.ts';
import { CommandFailed } from '../context.ts';
import { eventsOf, lineOf } from './log-pages.ts';

export interface Comparing {
  readonly source: EventLog;
  readonly target: EventLog;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => void;
  /** Positions of the source whose place in the target is wanted. */
  readonly wanted: ReadonlySet<Position>;
  /** Types of events whose pairs of positions are all wanted. */
  readonly wantedTypes: ReadonlySet<string>;
}

export interface Compared {
  readonly events: number;
  /** SHA-256 over every event with everything but its position, in order; the same for both. */
  readonly digest: string;
  /** Position of the last event of the source. */
  readonly end: Position;
  readonly places: ReadonlyMap<Position, Position>;
  readonly pairs: readonly PlacePair[];
}

/** Reads both logs from their first event to their last. Throws `CommandFailed` where they differ. */
export const compareLogs = async ({ source, target, signal, onProgress, wanted, wantedTypes }: Comparing): Promise<Compared> => {
  const [left, right] = [createHash('sha256'), createHash('sha256')];
  const places = new Map<Position, Position>();
  const pairs: PlacePair[] = [];
  const there = eventsOf(target, signal);
  let events = 0;
  let end = LOG_START;
  for await (const event of eventsOf(source, signal)) {
    const { value: copy } = await there.next();
    left.update(lineOf(event));
    if (copy === undefined) throw new CommandFailed(`the target ends after ${events} events; copy again`);
    right.update(lineOf(copy));
    events += 1;
    end = event.position;
    if (wanted.has(event.position)) places.set(event.position, copy.position);
    if (wantedTypes.has(event.type)) pairs.push([event.position, copy.position]);
    if (events % 1_000 === 0) onProgress(events);
  }
  const digest = left.digest('hex');
  if ((await there.next()).value !== undefined) throw new CommandFailed(`the target goes on after the ${events} events of the source`);
  if (right.digest('hex') !== digest) {
    throw new CommandFailed('the target does not hold the same events in the same order; empty it and copy again');
  }
  return { events, digest, end, places, pairs };
};
