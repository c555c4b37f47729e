import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogBatch, Position, ReadAll } from '../../src/domain/ports/event-log.ts';
import { toEvent } from './event-form.ts';
import { type PlaceInLog, placeOf } from './log-position.ts';
import { subscriptionFrom } from './read-requests.ts';
import { TailWindow, type TailLimits } from './tail-window.ts';
import type { Cancellable, Wire } from './wire.ts';

export interface LogTail {
  /** From the newest events; undefined for a reader that stands before them. */
  take(read: ReadAll): LogBatch | undefined;
  /** Resolves when there may be something after the position or the signal aborts; to true when the interval passed in silence. */
  wait(after: Position, signal: AbortSignal): Promise<boolean>;
  /** For a reader that, after such a silence, found in the store what the tail does not have: it listens anew. */
  distrust(found: Position): void;
  close(): Promise<void>;
}

const LIMITS: TailLimits = { events: 20_000, characters: 32_000_000 };
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * One subscription to `$all` for all who follow the log in this process, begun when the first of them has met the head. After a loss it goes
 * on from the last event or checkpoint, with growing pauses. A follower that is slow costs no memory: it reads from the store again.
 */
export const openLogTail = (wire: Wire, pollMs: number, limits: TailLimits = LIMITS): LogTail => {
  const waiters = new Set<() => void>();
  let window: TailWindow | undefined;
  /** Where the server has looked to, past events of its own. */
  let resumeAt: PlaceInLog | null = null;
  let current: Cancellable | undefined;
  let running: Promise<void> | undefined;
  let wakePause: () => void = () => undefined;
  let pause = FIRST_PAUSE_MS;

  const tell = (): void => {
    for (const wake of [...waiters]) wake();
  };

  const hear = (answer: ReadResp, into: TailWindow): void => {
    pause = FIRST_PAUSE_MS;
    const checkpoint = answer.getCheckpoint();
    if (checkpoint !== undefined) {
      resumeAt = { commit: checkpoint.getCommitPosition(), prepare: checkpoint.getPreparePosition() };
    }
    const recorded = answer.getEvent()?.getEvent();
    if (recorded === undefined) return;
    const event = toEvent(recorded);
    into.add(event);
    resumeAt = placeOf(event.position);
    tell();
  };

  const listen = async (into: TailWindow): Promise<void> =>
    await wire.call('subscribe', null, async (client, metadata, options) => {
      const call = client.read(subscriptionFrom(resumeAt), metadata, options);
      current = call;
      const release = wire.track(call);
      try {
        await new Promise<void>((resolve, reject) => {
          call.on('data', (answer: ReadResp) => {
            try {
              hear(answer, into);
            } catch (error) {
              // Followers meet the same event when they read for themselves, and say what is wrong with it.
              call.cancel();
              reject(error);
            }
          });
          call.on('error', reject);
          call.on('end', resolve);
        });
      } finally {
        release();
      }
    });

  const run = async (into: TailWindow): Promise<void> => {
    while (!wire.closed) {
      await listen(into).catch(() => undefined);
      if (wire.closed) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pause);
        wakePause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  };

  return {
    take: (read) => (window?.covers(read.after) === true ? window.pick(read) : undefined),

    async wait(after, signal) {
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
    },

    distrust(found) {
      if (window !== undefined && window.end < found) current?.cancel();
    },

    async close() {
      tell();
      wakePause();
      await running;
    },
  };
};
