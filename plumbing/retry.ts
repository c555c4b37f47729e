import { DatabaseUnavailable, DeadlineExceeded } from '../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown } from '../domain/ports/event-log.ts';
import { NotYet } from '../domain/ports/reactors.ts';
import type { Clock } from '../domain/ports/clock.ts';

/** Pauses between attempts, in milliseconds: each is twice as long as the previous one, up to a maximum. */
export class Backoff {
  readonly #first: number;
  readonly #max: number;
  #next: number;

  constructor(first: number, max: number) {
    this.#first = first;
    this.#max = max;
    this.#next = first;
  }

  get next(): number {
    return this.#next;
  }

  take(): number {
    const pause = this.#next;
    this.#next = Math.min(this.#max, pause * 2);
    return pause;
  }

  reset(): void {
    this.#next = this.#first;
  }
}

const STORE_FAILURES = [DatabaseUnavailable, DeadlineExceeded, LogUnavailable, OutcomeUnknown];
/** True for an error that the database port or the log port declares. */
export const isStoreFailure = (error: unknown): error is Error => STORE_FAILURES.some((kind) => error instanceof kind);
/** SQLSTATE classes and codes for which a retry might succeed: connection, resources, operator intervention, serialization, lock not available. */
const TRANSIENT_CODE = /^(08|53|57|40|55P03|25P03|58)/;
const SYSTEM_ERROR = /^E[A-Z]+$/;

/** True for an error of a store or the network: a retry might succeed. False for a defect of the work or its input. */
export function isTransient(error: unknown): error is Error {
  if (isStoreFailure(error) || error instanceof NotYet) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TRANSIENT_CODE.test(code) || SYSTEM_ERROR.test(code);
}

/**
 * Abort reason once the work is done. Created once, because an abort without a reason creates an error with a stack.
 */
const WORK_ENDED = new Error('over');

/** Aborts the work's signal and stops waiting at the deadline or when `leaving` aborts. Throws `DeadlineExceeded`, or the reason of `leaving`. */
export async function withinDeadline<Result>(
  clock: Pick<Clock, 'sleep'>,
  deadlineMs: number,
  leaving: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  leaving.throwIfAborted();
  const ended = new AbortController();
  // `AbortSignal.any` is not used: its signal, and everything that it references, survives every minor garbage
  // collection.
  const over = new AbortController();
  const leave = (): void => {
    over.abort(leaving.reason);
    ended.abort(WORK_ENDED);
  };
  const tooLate = async (): Promise<never> => {
    await clock.sleep(deadlineMs, ended.signal).catch(() => undefined);
    leaving.throwIfAborted();
    throw ended.signal.aborted ? WORK_ENDED : new DeadlineExceeded(`not done within ${deadlineMs} ms`);
  };
  leaving.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([work(over.signal), tooLate()]);
  } catch (error) {
    over.abort(error);
    throw error;
  } finally {
    leaving.removeEventListener('abort', leave);
    ended.abort(WORK_ENDED);
  }
}

/**
 * Like `withinDeadline`, without a signal of the caller. Work that ignores its signal might take effect after the
 * deadline.
 */
export function resolveWithin<Result>(
  clock: Pick<Clock, 'sleep'>,
  deadlineMs: number,
  work: (over: AbortSignal) => Promise<Result>,
) {
  return withinDeadline(clock, deadlineMs, new AbortController().signal, work);
}
