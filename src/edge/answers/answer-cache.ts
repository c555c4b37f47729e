import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../domain/ports/clock.ts';
import { MOMENT_MS, type PositionWatch } from './position-watch.ts';
import type { Representation } from './representation.ts';

interface Asked<Answer> {
  readonly answer: Answer;
  readonly askedAt: number;
  readonly era: number;
}

/** Answers depend on the time (upcoming meetings, stale checks), so none is cached for longer. */
const LIFETIME_MS = 1_000;

/**
 * Public answers, kept while the read model's position stands and one second at most, so that a hot answer needs no
 * round trip to the database. Bounded by number and by bytes; the answer that was not asked for for longest goes first.
 */
export function createAnswerCache({
  watch,
  clock,
  maxAnswers = 1_000,
  maxBytes = 32 * 1024 * 1024,
}: {
  readonly watch: PositionWatch;
  readonly clock: Clock;
  readonly maxAnswers?: number;
  readonly maxBytes?: number;
}) {
  const sizeCalculation = ({ answer }: Asked<Representation>): number => answer.bytes;
  const answers = new LRUCache<string, Asked<Representation>>({ max: maxAnswers, maxSize: maxBytes, sizeCalculation });
  const flights = new Map<string, Asked<Promise<Representation>>>();
  const isYoung = (askedAt: number, now: number, limit: number): boolean => now >= askedAt && now - askedAt < limit;
  /** Valid if it was just made, or if the position was checked since. */
  const stands = ({ askedAt, era }: Asked<Representation>, now: number): boolean => {
    const lifetime = watch.isAwake(now) ? LIFETIME_MS : MOMENT_MS;
    return era === watch.era && isYoung(askedAt, now, lifetime);
  };

  return {
    /** An answer that is still valid, or undefined. */
    standing(key: string): Representation | undefined {
      const known = answers.get(key);
      if (known === undefined) return undefined;
      if (stands(known, clock.now())) return known.answer;
      answers.delete(key);
      return undefined;
    },
    /** Makes the answer, or joins the callers that wait for it. All of them get what `make` throws, and nothing is cached. */
    fetch(key: string, make: () => Promise<Representation>): Promise<Representation> {
      const [askedAt, era] = [clock.now(), watch.era];
      watch.isAwake(askedAt);
      const running = flights.get(key);
      if (running !== undefined && running.era === era && isYoung(running.askedAt, askedAt, LIFETIME_MS)) return running.answer;
      const answer = make()
        .then((made) => {
          // The era at the time of the read: the position may have moved before the answer.
          answers.set(key, { answer: made, askedAt, era });
          return made;
        })
        .finally(() => {
          if (flights.get(key) === flight) flights.delete(key);
        });
      const flight = { answer, askedAt, era };
      flights.set(key, flight);
      return answer;
    },
  };
}
