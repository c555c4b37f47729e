import { expect, test } from 'vitest';
import { BegunWork } from '../../plumbing/begun-work.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('the results come in the order of the beginning', async () => {
  const works = new BegunWork<number>();
  works.add(nextTurn().then(() => 1));
  works.add(Promise.resolve(2));
  expect(await works.end()).toEqual([1, 2]);
});

test('a failure is thrown when everything else has ended, and is handled before anyone waits for it', async () => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', keep);
  try {
    const works = new BegunWork();
    let isOver = false;
    works.add(Promise.reject(new Error('refused')));
    await nextTurn();
    works.add(
      nextTurn()
        .then(nextTurn)
        .then(() => void (isOver = true)),
    );
    await expect(works.end()).rejects.toThrow('refused');
    expect(isOver).toBe(true);
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', keep);
  }
});
