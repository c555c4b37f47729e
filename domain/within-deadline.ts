import type { Clock } from './ports/clock.ts';
import { DeadlineExceeded } from './ports/database.ts';

/**
 * Waits for the work for at most this many milliseconds, and no longer than its caller; the signal of the work aborts then,
 * and what it still does is not waited for. Throws `DeadlineExceeded`, or the reason of `gone`.
 */
export async function withinDeadline<Result>(
  clock: Pick<Clock, 'sleep'>,
  deadlineMs: number,
  gone: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const over = new AbortController();
  const tooLate = async (): Promise<never> => {
    await clock.sleep(deadlineMs, AbortSignal.any([gone, ended.signal])).catch(() => undefined);
    gone.throwIfAborted();
    throw new DeadlineExceeded(`not done within ${deadlineMs} ms`);
  };
  try {
    return await Promise.race([work(AbortSignal.any([gone, over.signal])), tooLate()]);
  } catch (error) {
    over.abort(error);
    throw error;
  } finally {
    ended.abort();
  }
}

/** The same with a signal of its own. Work that does not heed the signal may take effect after the deadline. */
export function answeredWithin<Result>(
  clock: Pick<Clock, 'sleep'>,
  deadlineMs: number,
  work: (over: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return withinDeadline(clock, deadlineMs, new AbortController().signal, work);
}
