import { afterEach, expect, test, vi } from 'vitest';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import { untilReached } from '../support/until-reached.ts';

// Each read is later than the one before by more than the time allowed without progress.
const AT_ONCE = { stallMs: 0, tell: () => 'owned by nobody' };

afterEach(() => vi.restoreAllMocks());

test('progress is waited for, also if the clock moves between any two reads', async () => {
  let [place, time] = [0, 0];
  vi.spyOn(Date, 'now').mockImplementation(() => (time += 1));
  await untilReached('it', 20, () => (place += 1), AT_ONCE);
  expect(place).toBe(20);
});

test('a position that stops moving is reported with its name, its value and the known details', async () => {
  let place = 0;
  const standing = untilReached('the fold', 20, () => (place = Math.min(5, place + 1)), AT_ONCE);
  await expect(standing).rejects.toThrow(/^the fold stands still at 5 of 20 since \d+ ms\nowned by nobody$/);
});

test('a position that alternates makes no progress', async () => {
  let place = 0;
  await expect(untilReached('it', 20, () => (place = 1 - place), AT_ONCE)).rejects.toThrow('stands still');
});

test('a database that could not be read is read again, and counts as no position', async () => {
  const answers = [1, new DatabaseUnavailable('away'), 1, new DatabaseUnavailable('away'), 20];
  await untilReached('it', 20, () => {
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  expect(answers).toEqual([]);
  await expect(untilReached('it', 20, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
