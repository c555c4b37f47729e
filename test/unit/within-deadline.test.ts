import { expect, test } from 'vitest';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { withinDeadline } from '../../plumbing/retry.ts';
import { systemClock } from '../../infra/system/clock.ts';

const LONG_MS = 60_000;
const reasonOf = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

/** Work without an end, and why its signal aborts. */
function endless() {
  const result = Promise.withResolvers<unknown>();
  const work = (signal: AbortSignal): Promise<never> => {
    reasonOf(signal).then(result.resolve, result.reject);
    return new Promise(() => undefined);
  };
  return { work, reason: result.promise };
}

test('work ends with the reason of a caller that leaves, and its signal aborts with it', async () => {
  const [leaving, reason] = [new AbortController(), new Error('gone')];
  const { work, reason: abortReason } = endless();
  const running = withinDeadline(systemClock, LONG_MS, leaving.signal, work);
  leaving.abort(reason);
  await expect(running).rejects.toBe(reason);
  expect(await abortReason).toBe(reason);
});

test('work ends at its deadline, and its signal aborts', async () => {
  const { work, reason } = endless();
  await expect(withinDeadline(systemClock, 1, new AbortController().signal, work)).rejects.toBeInstanceOf(
    DeadlineExceeded,
  );
  expect(await reason).toBeInstanceOf(DeadlineExceeded);
});

test('work of a caller that has left is not begun', async () => {
  const aborted = AbortSignal.abort(new Error('gone'));
  let begun = false;
  const work = async () => void (begun = true);
  await expect(withinDeadline(systemClock, LONG_MS, aborted, work)).rejects.toBe(aborted.reason);
  expect(begun).toBe(false);
});

test('the signal of work that is done stays as it was', async () => {
  const leaving = new AbortController();
  const signal = await withinDeadline(systemClock, LONG_MS, leaving.signal, async (signal) => signal);
  leaving.abort();
  expect(signal.aborted).toBe(false);
});
