import { expect, test } from 'vitest';
import { createKeyedMutex } from '../../commands/keyed-mutex.ts';

test('work that fails does not fail what waits behind it', async () => {
  const mutex = createKeyedMutex();
  const failed = mutex('account', () => Promise.reject(new Error('the log is away')));
  const [next, last] = [mutex('account', async () => 'next'), mutex('account', async () => 'last')];
  await expect(failed).rejects.toThrow('the log is away');
  expect([await next, await last]).toEqual(['next', 'last']);
});
