import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../domain/ports/clock.ts';
import { Rejection } from '../../../domain/rejections.ts';
import type { Representation } from './representation.ts';

interface Asked<Answer> {
  readonly answer: Answer;
  readonly askedAt: number;
  readonly era: number;
}

/** Answers depend on the time (upcoming meetings, stale checks), so none is cached for longer. */
const LIFETIME_MS = 1_000;

/** Kept while the read model stands, one second at most. Bounded by number and bytes; the answer least recently asked for goes first. */
export function createAnswerCache(parts: {
  readonly watch: PositionWatch;
  readonly clock: Clock;
  readonly maxAnswers?: number;
  readonly maxBytes?: number;
}) {
  const { watch, clock, maxAnswers = 1_000, maxBytes = 32 * 1024 * 1024 } = parts;
  const sizeCalculation = ({ answer }: Asked<Representation>): number => answer.bytes;
  const answers = new LRUCache<string, Asked<Representation>>({ max: maxAnswers, maxSize: maxBytes, sizeCalculation });
  const flights = new Map<string, Asked<Promise<Representation>>>();
  const stands = ({ askedAt, era }: Asked<unknown>, now: number, limit: number): boolean =>
    era === watch.era && now >= askedAt && now - askedAt < limit;
  const fetch = (key: string, make: () => Promise<Representation>): Promise<Representation> => {
    const [askedAt, era] = [clock.now(), watch.era];
    watch.isAwake(askedAt);
    const running = flights.get(key);
    if (running !== undefined && stands(running, askedAt, LIFETIME_MS)) {
      return running.answer.catch((error: unknown) => {
        // The client that asked first had too much under way, this one may not have.
        if (error instanceof Rejection && error.code === 'rate_limited') return fetch(key, make);
        throw error;
      });
    }
    const answer = make()
      .then((made) => {
        // The era at the time of the read: the position may have moved before the answer.
        answers.set(key, { answer: made, askedAt, era });
        return made;
      })
      .finally(() => {
        if (flights.get(key)?.answer === answer) flights.delete(key);
      });
    flights.set(key, { answer, askedAt, era });
    return answer;
  };
  return {
    /** Undefined unless the answer was just made, or the position was checked since. */
    standing(key: string): Representation | undefined {
      const known = answers.get(key);
      if (known === undefined) return undefined;
      const now = clock.now();
      if (stands(known, now, watch.isAwake(now) ? LIFETIME_MS : MOMENT_MS)) return known.answer;
      answers.delete(key);
      return undefined;
    },
    /** Joins the callers that wait for the answer. All of them get what `make` throws, except for `rate_limited`, and nothing is cached. */
    fetch,
  };
}

const LOOK_EVERY_MS = 50;
const AFTER_FAILURE_MS = 250;
/** An older read does not count. */
const MOMENT_MS = 150;
const ASLEEP_AFTER_MS = 1_000;

export type PositionWatch = ReturnType<typeof watchPosition>;
/** Polls the position only while there are requests. `readPosition` gives any text that differs when the position does. */
export function watchPosition({ readPosition, clock }: { readonly readPosition: () => Promise<string>; readonly clock: Clock }) {
  const closing = new AbortController();
  let era = 0;
  let position: string | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let looking = false;
  const lost = (): void => {
    era += 1;
    position = undefined;
    lookedAt = Number.NEGATIVE_INFINITY;
  };
  const look = async (): Promise<number> => {
    const began = clock.now();
    try {
      const found = await readPosition();
      // Also after a time without polls: earlier reads may be older than the position found now.
      if (found !== position) era += 1;
      position = found;
      lookedAt = began;
      return LOOK_EVERY_MS;
    } catch {
      lost();
      return AFTER_FAILURE_MS;
    }
  };
  const keepLooking = async (): Promise<void> => {
    looking = true;
    while (!closing.signal.aborted && Math.abs(clock.now() - askedAt) < ASLEEP_AFTER_MS) {
      await clock.sleep(await look(), closing.signal).catch(() => undefined);
    }
    position = undefined;
    looking = false;
  };
  return {
    /** A number that changes whenever the position moves or is unknown; what was read under an earlier number is out of date. */
    get era() {
      return era;
    },
    /** Whether the position was checked recently enough to rely on the era. A call keeps the watch polling. */
    isAwake(now: number): boolean {
      askedAt = now;
      if (!looking && !closing.signal.aborted) void keepLooking();
      return now >= lookedAt && now - lookedAt < MOMENT_MS;
    },
    /** The connection to the database is lost: earlier reads are out of date. */
    lost,
    close: () => closing.abort(),
  };
}
