import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepMirror } from '../../client/mirror/keep-mirror.ts';
import { recordId } from '../support/civic-records.ts';
import { FeedService } from '../support/feed-service.ts';

let folder: string;
let service: FeedService;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
  service = new FeedService(2);
  for (const number of [1, 2, 3]) service.write('topics', recordId('topics', number), { number });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  rmSync(folder, { recursive: true });
});

const mirrorSettings = () => ({
  baseUrl: 'http://feed.example',
  key: 'crs_test',
  to: join(folder, 'mirror'),
  resource: null,
  format: null,
  follow: false,
  verify: false,
  newSnapshot: false,
  signal: new AbortController().signal,
  onProgress: () => undefined,
});

/** A verified copy of the service, which cannot read its feed at the first requests for health; its pauses take no time. */
async function verified(unreadable: number) {
  const notices: string[] = [];
  let requests = 0;
  vi.stubGlobal('fetch', async (url: string) => {
    const { pathname, search } = new URL(url);
    if (!pathname.endsWith('/health')) return Response.json(await service.ask(pathname + search));
    requests += 1;
    const head =
      requests <= unreadable ? null : { cursor: 'at the head', digests: service.digests(service.changes.length) };
    return Response.json({ data: { pipeline: { head } } });
  });
  const ended = keepMirror({
    ...mirrorSettings(),
    verify: true,
    onNotice(line) {
      notices.push(line);
      setImmediate(() => vi.runOnlyPendingTimers());
    },
  });
  return { result: await ended.catch((error: unknown) => (error as Error).message), notices };
}

test('a mirror is compared once the service can read its feed again', async () => {
  expect(await verified(2)).toEqual({
    result: expect.objectContaining({ verified: true }) as unknown,
    notices: [
      'the service cannot read its feed; asking again in 0.5 s',
      'the service cannot read its feed; asking again in 1 s',
    ],
  });
});

test('a mirror is not compared with a service that cannot read its feed at any attempt, and reports it', async () => {
  expect((await verified(Infinity)).result).toBe(
    'the service cannot read its feed, so the mirror was not compared; run the same command again later',
  );
});

test('a mirror that follows reports the absence of the service once, and its return', async () => {
  const stop = new AbortController();
  const notices: string[] = [];
  let polls = 0;
  vi.stubGlobal('fetch', async (url: string) => {
    const { pathname, search } = new URL(url);
    if (pathname.endsWith('/changes') && (polls += 1) > 3 && polls < 12)
      return Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } }));
    if (polls === 20) stop.abort(new Error('enough'));
    return Response.json(await service.ask(pathname + search));
  });
  const following = keepMirror({
    ...mirrorSettings(),
    follow: true,
    signal: stop.signal,
    onNotice(line) {
      notices.push(line);
    },
  });
  const timers = setInterval(() => vi.runOnlyPendingTimers(), 5);
  await expect(following).rejects.toThrow('enough');
  clearInterval(timers);
  expect(notices).toEqual([
    'no answer from http://feed.example (ECONNREFUSED); retrying until the service answers',
    'the service answers again',
  ]);
});
