import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { Backoff } from '../../domain/retry.ts';
import type { LogBatch, Position, ReadAll } from '../../domain/ports/event-log.ts';
import { toEvent } from './event-form.ts';
import type { FollowedReads } from '../system/log-subscription.ts';
import { type CommitPosition, placeOf } from './log-position.ts';
import { readAnswers } from './read-call.ts';
import { subscriptionFrom } from './read-requests.ts';
import { type TailLimits, TailWindow } from './tail-window.ts';
import type { Cancellable, Wire } from './wire.ts';

const LIMITS: TailLimits = { events: 20_000, characters: 32_000_000 };
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;

/**
 * One subscription to `$all` for all followers in this process, begun when the first of them reaches the head. After a loss it continues from
 * the last event or checkpoint, with growing pauses. A slow follower costs no memory: it reads from the store.
 */
export function openLogTail(wire: Wire, pollMs: number, limits: TailLimits = LIMITS) {
  const waiters = new Set<() => void>();
  let window: TailWindow | undefined;
  /** Up to where the server has scanned, its own events included. */
  let resumeAt: CommitPosition | null = null;
  let current: Cancellable | undefined;
  let running: Promise<void> | undefined;
  let wakePause: () => void = () => undefined;
  const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);

  const wakeAll = (): void => {
    for (const wake of [...waiters]) wake();
  };

  const receive = (answer: ReadResp, into: TailWindow): void => {
    backoff.reset();
    const checkpoint = answer.getCheckpoint();
    if (checkpoint !== undefined) {
      resumeAt = { commit: checkpoint.getCommitPosition(), prepare: checkpoint.getPreparePosition() };
    }
    const recorded = answer.getEvent()?.getEvent();
    if (recorded === undefined) return;
    const event = toEvent(recorded);
    into.add(event);
    resumeAt = placeOf(event.position);
    wakeAll();
  };

  /** Followers read an event that `receive` refuses from the store, and report the error. */
  const listen = (into: TailWindow): Promise<void> =>
    readAnswers(
      wire,
      'subscribe',
      null,
      subscriptionFrom(resumeAt),
      (answer) => {
        receive(answer, into);
        return 'more';
      },
      (call) => (current = call),
    );

  const run = async (into: TailWindow): Promise<void> => {
    while (!wire.closed) {
      await listen(into).catch(() => undefined);
      if (wire.closed) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, backoff.take());
        wakePause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  /** Resolves to true when the interval passed without an event. */
  const wait = async (after: Position, signal: AbortSignal): Promise<boolean> => {
    if (window === undefined && !wire.closed) {
      window = new TailWindow(after, limits);
      resumeAt = placeOf(after);
      running = run(window);
    }
    if (signal.aborted || window === undefined || window.end > after) return false;
    return await new Promise<boolean>((resolve) => {
      const end = (isSilent: boolean): void => {
        clearTimeout(timer);
        waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve(isSilent);
      };
      const wake = (): void => end(false);
      const timer = setTimeout(() => end(true), pollMs);
      waiters.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  };

  return {
    /**
     * Reads for one follower: from the tail where it has the events, else from the store. Where the store has events after a poll interval
     * that the tail did not receive, the tail subscribes again.
     */
    follow(readAll: (read: ReadAll) => Promise<LogBatch>): FollowedReads {
      let silent = false;
      return {
        async read(question) {
          const recent = window?.covers(question.after) === true ? window.pick(question) : undefined;
          const isRecent = recent !== undefined && recent.scannedTo > question.after;
          const batch = isRecent ? recent : await readAll(question);
          if (batch.scannedTo === question.after) return batch;
          if (silent && !isRecent && window !== undefined && window.end < batch.scannedTo) current?.cancel();
          silent = false;
          return batch;
        },
        async untilGrown(after, signal) {
          silent = await wait(after, signal);
        },
      };
    },

    async close(): Promise<void> {
      wakeAll();
      wakePause();
      await running;
    },
  };
}
