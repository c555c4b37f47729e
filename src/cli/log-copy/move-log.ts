import { createHash } from 'node:crypto';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type EventLog, LOG_START, type Position } from '../../../domain/ports/event-log.ts';
import { type LogMoves, type PlacePair, StillHeld } from '../../../domain/ports/log-moves.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { CommandFailed } from '../context.ts';
import { copyEvents, type Copied } from './copy-events.ts';
import { eventsOf, lineOf } from './log-pages.ts';

export interface Moving {
  readonly source: EventLog;
  readonly target: EventLog;
  readonly moves: LogMoves;
  readonly projections: readonly Projection[];
  readonly leaseClock: Clock;
  /** Which of the two is in the database of the read models. */
  readonly here: 'source' | 'target' | 'neither';
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => void;
}

export interface Moved {
  readonly found: number;
  readonly copied: number;
  /** Events of the log when it was compared; null while the source still has followers. */
  readonly events: number | null;
  readonly digest: string | null;
  /** Whether checkpoints now refer to the target, which is then the log in use. */
  readonly switched: boolean;
  /** Owners of read models or reactors, which must be stopped first. */
  readonly heldBy: readonly string[];
}

/** Copies; once no process follows the source, compares both logs and moves every read model and reactor to the target. */
export async function moveLog(moving: Moving): Promise<Moved> {
  const { source, moves, leaseClock } = moving;
  let total: Copied = { found: 0, copied: 0 };
  const copyOn = async (): Promise<void> => {
    const { found, copied } = await copyEvents({ ...moving, source: eventsOf(source, moving.signal) });
    total = total.copied === 0 ? { found, copied } : { found: total.found, copied: total.copied + copied };
  };
  await copyOn();
  const stillHeld = (heldBy: readonly string[]): Moved => ({ ...total, events: null, digest: null, switched: false, heldBy });
  for (;;) {
    const heldBy = await moves.held(leaseClock.now());
    if (heldBy.length > 0) return stillHeld(heldBy);
    const compared = await compareLogs(moving);
    try {
      if (await switchTo(moving, compared)) {
        return { ...total, events: compared.events, digest: compared.digest, switched: true, heldBy: [] };
      }
    } catch (error) {
      if (error instanceof StillHeld) return stillHeld(error.message.split(', '));
      throw error;
    }
    if ((await source.head()) === compared.end) throw new CommandFailed('the source changed and did not grow');
    await copyOn();
  }
}

interface Compared {
  readonly events: number;
  /** SHA-256 over all events without their positions, in order; the same for both. */
  readonly digest: string;
  /** Position of the last event of the source. */
  readonly end: Position;
  readonly places: ReadonlyMap<Position, Position>;
  readonly pairs: readonly PlacePair[];
}

/** Reads both logs from their first event to their last. Throws `CommandFailed` where they differ. */
async function compareLogs({ source, target, moves, projections, signal, onProgress }: Moving): Promise<Compared> {
  const identity = await source.identity();
  const wanted = new Set(identity === null ? [] : await moves.checkpoints(identity));
  const withPositions = projections.filter((projection) => projection.positionColumns !== undefined);
  const wantedTypes = new Set(withPositions.flatMap(({ handles }) => handles));
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
}

async function switchTo({ source, target, moves, projections, leaseClock, here }: Moving, compared: Compared): Promise<boolean> {
  const [from, to] = await Promise.all([source.identity(), target.identity()]);
  if (from === null || to === null) throw new CommandFailed('there is nothing to copy: the log is empty');
  const generations = await moves.generations(from);
  const columns = generations.flatMap(
    ({ projection, generation }) => projections.find(({ name }) => name === projection)?.positionColumns?.(generation) ?? [],
  );
  const isComplete = async (): Promise<boolean> => (await source.head()) === compared.end;
  return await moves.move({ from, to, places: compared.places, columns, pairs: compared.pairs, here, now: leaseClock.now(), isComplete });
}
