import type { Clock } from './ports/clock.ts';
import { DeadlineExceeded } from './ports/database.ts';

/** Ends the wait of work that is done; made once, since an abort without a reason makes an error with a stack. */
const OVER = new Error('over');

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
  const leave = (): void => ended.abort(OVER);
  const tooLate = async (): Promise<never> => {
    if (!gone.aborted) await clock.sleep(deadlineMs, ended.signal).catch(() => undefined);
    gone.throwIfAborted();
    throw ended.signal.aborted ? OVER : new DeadlineExceeded(`not done within ${deadlineMs} ms`);
  };
  gone.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work(AbortSignal.any([gone, over.signal])), tooLate()]);
  } catch (error) {
    over.abort(error);
    throw error;
  } finally {
    gone.removeEventListener('abort', leave);
    ended.abort(OVER);
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
