import { expect, test } from 'vitest';
import { limitByHost, MAX_REQUESTS_AT_ONCE } from '../../infra/system/host-limit.ts';

/** Requests that end when the test says so. */
function openRequests() {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const send = (host: string, name: string): Promise<void> =>
    limitByHost(host, async () => {
      started.push(name);
      const end = Promise.withResolvers<void>();
      ends.set(name, end);
      return end.promise;
    });
  return { started, send, end: (name: string) => ends.get(name)! };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a host has a few requests at a time, in the order of the calls, and other hosts do not wait for them', async () => {
  const { started, send, end } = openRequests();
  const names = Array.from({ length: MAX_REQUESTS_AT_ONCE + 2 }, (_, index) => `a${index}`);
  const requests = [...names.map((name) => send('a.example', name)), send('b.example', 'b')];
  await settled();
  expect(started).toEqual([...names.slice(0, MAX_REQUESTS_AT_ONCE), 'b']);
  end('a1').resolve();
  await settled();
  expect(started.at(-1)).toBe(`a${MAX_REQUESTS_AT_ONCE}`);
  for (const name of ['a0', 'a2', 'a3', 'b', 'a4']) end(name).resolve();
  await settled();
  end('a5').resolve();
  await Promise.all(requests);
});

test('a request that fails makes room for the next one', async () => {
  const { started, send, end } = openRequests();
  const names = Array.from({ length: MAX_REQUESTS_AT_ONCE }, (_, index) => `c${index}`);
  const failed = names.map((name) => send('c.example', name).catch((error: Error) => error.message));
  const next = send('c.example', 'next');
  await settled();
  for (const name of names) end(name).reject(new Error('no answer'));
  expect(await Promise.all(failed)).toEqual(names.map(() => 'no answer'));
  await settled();
  expect(started.at(-1)).toBe('next');
  end('next').resolve();
  await next;
});
