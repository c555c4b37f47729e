import { Backoff } from '../../plumbing/retry.ts';
import { AppendNews } from '../system/append-news.ts';
import { systemClock } from '../system/clock.ts';
import { readAnswers } from './read-answers.ts';
import type { Cancellable, Wire } from './wire.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
/** Milliseconds after the first event of a burst, which wakes the followers once. */
const GATHER_MS = 5;

/**
 * Subscribes to the end of `$all` at the first wait of a follower, and wakes all followers at each event. Subscribes
 * again after a loss, with growing pauses; the confirmation then wakes them, because events might have been missed.
 */
export function openAppendSubscription(wire: Wire, pollMs: number) {
  const closing = new AbortController();
  let call: Cancellable | undefined;
  let running: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;
  const wakeSoon = (): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      news.wake();
    }, GATHER_MS);
  };
  const subscribe = async (): Promise<void> => {
    const backoff = new Backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS);
    while (!wire.closed) {
      await readAnswers(
        wire,
        {
          reading: { from: 'end', count: 'all that follow' },
          deadlineMs: null,
          onCall: (begun) => (call = begun),
        },
        (answer) => {
          if (answer.hasConfirmation()) backoff.reset();
          if (answer.hasConfirmation() || answer.hasEvent()) wakeSoon();
          return 'more';
        },
      ).catch(() => undefined);
      await systemClock.sleep(backoff.take(), closing.signal).catch(() => undefined);
    }
  };
  const news = new AppendNews(pollMs, {
    onWait: () => void (running ??= subscribe()),
    // The server has forgotten the subscription.
    onMissed: () => call?.cancel(),
  });
  return {
    news,
    /** Call it after `wire.close`. */
    async close(): Promise<void> {
      closing.abort();
      clearTimeout(gathering);
      news.wake();
      await running;
    },
  };
}
