import { resolveWithin } from '../../../plumbing/retry.ts';
import type { Operations } from '../../../queries/operators/read-operations.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { LogUnavailable } from '../../../domain/ports/event-log.ts';
import type { Logger } from '../../../domain/ports/logger.ts';

/** Result of the last reads. `slow`: a read takes longer than viewers wait. `hangs`: it takes much longer. */
type Reachable = 'answers' | 'slow' | 'hangs' | 'log-unreachable' | 'unreachable';

export interface Watched {
  readonly reachable: Reachable;
  /** Machine milliseconds since this state began; null while reads succeed. */
  readonly since: number | null;
  /** The newest reading of any age, with the machine milliseconds of its end. */
  readonly newest: { readonly operations: Operations; readonly at: number; readonly rates: Figures } | null;
}

/**
 * Events of the log, changes of the feed, and events of each serving processor: counts or rates per second; null if
 * unknown.
 */
export interface Figures {
  readonly log: number | null;
  readonly feed: number | null;
  readonly projections: ReadonlyMap<string, number>;
  readonly reactors: ReadonlyMap<string, number>;
}

/** Milliseconds for which a reading is reused for all viewers. */
const REUSE_MS = 900;
/** Milliseconds that a viewer waits for a reading before getting the previous one. */
const VIEWER_WAIT_MS = 1_500;
/** A read without an answer after this many milliseconds counts as failed. */
const HANGS_AFTER_MS = 5_000;
const RATE_SPAN_MS = 10_000;
const SHORTEST_SPAN_MS = 500;

interface WatchParts {
  readonly read: () => Promise<Operations>;
  /** True if the log has its own server; otherwise it fails together with the database. */
  readonly logApart: boolean;
  /** The machine's clock. */
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Reads the operations, one read at a time and at most once a second. No viewer waits for a slow one. */
export function createOperationsWatch({ read, logApart, clock, logger }: WatchParts) {
  let newest: Watched['newest'] = null;
  let failed: { readonly reachable: Reachable; readonly since: number } | null = null;
  let reading: { readonly since: number; readonly done: Promise<void> } | null = null;
  let endedAt = Number.NEGATIVE_INFINITY;
  let samples: readonly Sample[] = [];
  const take = async (): Promise<void> => {
    try {
      const operations = await read();
      const at = clock.now();
      samples = [
        ...samples.filter((sample) => sample.at > at - RATE_SPAN_MS && sample.at < at),
        createSample(operations, at),
      ];
      newest = { operations, at, rates: computeRates(samples) };
      failed = null;
    } catch (error) {
      if (failed === null) logger.warn({ err: error }, 'the state for operators cannot be read');
      const reachable = logApart && error instanceof LogUnavailable ? 'log-unreachable' : 'unreachable';
      failed = { reachable, since: failed?.since ?? clock.now() };
    }
    endedAt = clock.now();
    reading = null;
  };
  const isDue = (): boolean => Math.abs(clock.now() - endedAt) >= REUSE_MS;
  return async (): Promise<Watched> => {
    if (reading === null && isDue()) reading = { since: clock.now(), done: take() };
    const { done } = reading ?? {};
    if (done !== undefined) await resolveWithin(clock, VIEWER_WAIT_MS, () => done).catch(() => undefined);
    const slow = reading as { readonly since: number } | null;
    const waitedMs = slow === null ? 0 : clock.now() - slow.since;
    if (slow !== null && waitedMs >= VIEWER_WAIT_MS && failed === null) {
      return { reachable: waitedMs >= HANGS_AFTER_MS ? 'hangs' : 'slow', since: slow.since, newest };
    }
    return { reachable: failed?.reachable ?? 'answers', since: failed?.since ?? null, newest };
  };
}

type Sample = Figures & { readonly at: number };

const createSample = ({ log, feedPosition, projections, reactors }: Operations, at: number): Sample => ({
  at,
  log: log.events,
  feed: feedPosition,
  projections: new Map(projections.filter(({ serves }) => serves).map(({ name, folded }) => [name, folded])),
  reactors: new Map(reactors.map(({ name, handled }) => [name, handled])),
});

/** Computes rates; all are null until the readings span some time. */
function computeRates(samples: readonly Sample[]): Figures {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  if (last.at - first.at < SHORTEST_SPAN_MS)
    return { log: null, feed: null, projections: new Map(), reactors: new Map() };
  const seconds = (last.at - first.at) / 1000;
  const rate = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : Math.max(0, to - from) / seconds;
  const rates = (from: ReadonlyMap<string, number>, to: ReadonlyMap<string, number>): ReadonlyMap<string, number> =>
    new Map([...to].filter(([name]) => from.has(name)).map(([name, count]) => [name, rate(from.get(name)!, count)!]));
  return {
    log: rate(first.log, last.log),
    feed: rate(first.feed, last.feed),
    projections: rates(first.projections, last.projections),
    reactors: rates(first.reactors, last.reactors),
  };
}
