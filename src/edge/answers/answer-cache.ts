import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../domain/ports/clock.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { Representation } from './representation.ts';

interface Cached<Answer> {
  readonly answer: Answer;
  readonly requestedAt: number;
  readonly era: number;
}

/** Answers depend on the time (upcoming meetings, stale checks), so none is cached for longer. */
const LIFETIME_MS = 1_000;

/**
 * Caches answers for at most a second, as long as the read model does not change. Bounded by number and bytes; evicts
 * the least recently used answer. States of an answer:
 *
 * - absent: `fetch` makes it.
 * - in flight: one call makes it, and later callers of the same era join it. A failure caches nothing.
 * - cached: `standing` returns it while its era is current.
 * - stale: the era has changed or the lifetime is over. `standing` deletes it, and `fetch` makes another.
 */
export function createAnswerCache(parts: {
  readonly watch: PositionWatch;
  readonly clock: Clock;
  readonly maxAnswers?: number;
  readonly maxBytes?: number;
}) {
  const { watch, clock, maxAnswers = 1_000, maxBytes = 32 * 1024 * 1024 } = parts;
  const sizeCalculation = ({ answer }: Cached<Representation>): number => answer.bytes;
  const answers = new LRUCache<string, Cached<Representation>>({ max: maxAnswers, maxSize: maxBytes, sizeCalculation });
  const inFlight = new Map<string, Cached<Promise<Representation>>>();
  const isCurrent = ({ requestedAt, era }: Cached<unknown>, now: number, limit: number): boolean =>
    era === watch.era && now >= requestedAt && now - requestedAt < limit;
  const fetch = (key: string, make: () => Promise<Representation>): Promise<Representation> => {
    const [requestedAt, era] = [clock.now(), watch.era];
    watch.isAwake(requestedAt);
    const running = inFlight.get(key);
    if (running !== undefined && isCurrent(running, requestedAt, LIFETIME_MS)) {
      return running.answer.catch((error: unknown) => {
        // The rate limit of the first client does not apply to this one.
        if (error instanceof Rejection && error.code === 'rate_limited') return fetch(key, make);
        throw error;
      });
    }
    const answer = make()
      .then((value) => {
        // The era at the start of the read: the position might have moved before the answer.
        answers.set(key, { answer: value, requestedAt, era });
        return value;
      })
      .finally(() => {
        if (inFlight.get(key)?.answer === answer) inFlight.delete(key);
      });
    inFlight.set(key, { answer, requestedAt, era });
    return answer;
  };
  return {
    /** Returns the cached answer if it was just made or the position was checked since; else undefined. */
    standing(key: string): Representation | undefined {
      const cached = answers.get(key);
      if (cached === undefined) return undefined;
      const now = clock.now();
      if (isCurrent(cached, now, watch.isAwake(now) ? LIFETIME_MS : RECENT_MS)) return cached.answer;
      answers.delete(key);
      return undefined;
    },
    /**
     * Makes an answer, or joins a call that is making it. All callers get its error, except for `rate_limited`; errors
     * are not cached.
     */
    fetch,
  };
}

const POLL_EVERY_MS = 50;
const AFTER_FAILURE_MS = 250;
/** A position or an answer that was read longer ago might be out of date. */
const RECENT_MS = 150;
const ASLEEP_AFTER_MS = 1_000;

export type PositionWatch = ReturnType<typeof watchPosition>;
/**
 * Watches the position of the read model. `readPosition` returns any text that changes with the position. States of the
 * watch:
 *
 * - asleep: no request for a second. It does not poll and does not use cached answers.
 * - awake: `isAwake` was called within the last second. The position is polled every 50 ms.
 * - lost: a poll or the connection failed. The era has changed, and the next poll comes after 250 ms.
 */
export function watchPosition({
  readPosition,
  clock,
}: {
  readonly readPosition: () => Promise<string>;
  readonly clock: Clock;
}) {
  const closing = new AbortController();
  let era = 0;
  let position: string | undefined;
  let polledAt = Number.NEGATIVE_INFINITY;
  let requestedAt = Number.NEGATIVE_INFINITY;
  let isPolling = false;
  const invalidate = (): void => {
    era += 1;
    position = undefined;
    polledAt = Number.NEGATIVE_INFINITY;
  };
  const poll = async (): Promise<number> => {
    const began = clock.now();
    try {
      const current = await readPosition();
      // The position is undefined after sleep, so waking also starts an era: earlier reads might be out of date.
      if (current !== position) era += 1;
      position = current;
      polledAt = began;
      return POLL_EVERY_MS;
    } catch {
      invalidate();
      return AFTER_FAILURE_MS;
    }
  };
  const pollWhileAwake = async (): Promise<void> => {
    isPolling = true;
    while (!closing.signal.aborted && Math.abs(clock.now() - requestedAt) < ASLEEP_AFTER_MS) {
      await clock.sleep(await poll(), closing.signal).catch(() => undefined);
    }
    position = undefined;
    isPolling = false;
  };
  return {
    /** Number that changes when the position moves or becomes unknown. Reads of an earlier era are out of date. */
    get era() {
      return era;
    },
    /**
     * Returns true if the position was checked recently enough to rely on the era. Each call keeps the watch polling.
     */
    isAwake(now: number): boolean {
      requestedAt = now;
      if (!isPolling && !closing.signal.aborted) void pollWhileAwake();
      return now >= polledAt && now - polledAt < RECENT_MS;
    },
    /** Called when the database connection is lost: earlier reads are out of date. */
    invalidate,
    close: () => closing.abort(),
  };
}
