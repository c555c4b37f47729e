import { expect, test } from 'vitest';
import { closeAll } from '../../plumbing/close-all.ts';

test('every closer runs, one after another, and the first error is thrown', async () => {
  const ended: string[] = [];
  const closer = (name: string, fails: boolean) => async () => {
    await Promise.resolve();
    ended.push(name);
    if (fails) throw new Error(name);
  };
  await expect(
    closeAll([closer('a', false), closer('b', true), closer('c', true), closer('d', false)]),
  ).rejects.toThrow(/^b$/);
  expect(ended).toEqual(['a', 'b', 'c', 'd']);
});
