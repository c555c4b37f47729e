import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CivicError } from '../../client/api/errors.ts';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { openDirectoryStore } from '../../client/mirror/directory-store.ts';
import type { AskCivic } from '../../client/mirror/feed-pages.ts';
import type { MirrorStore } from '../../client/mirror/mirror-store.ts';
import { replicate } from '../../client/mirror/replicate.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { recordId } from '../support/civic-records.ts';
import { FeedService } from '../support/feed-service.ts';
import { runMirror } from '../support/run-mirror.ts';

interface Answer {
  readonly data: {
    items: Record<string, unknown>[];
    digests: Record<string, string>;
    counts?: Record<string, number>;
    snapshotId: unknown;
  };
  readonly meta: { nextCursor: unknown; hasMore: boolean };
}

let folder: string;
let service: FeedService;
let store: MirrorStore;
let requests: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
  service = new FeedService(2);
  for (const number of [1, 2, 3]) service.write('topics', recordId('topics', number), { number });
  store = await openDirectoryStore(folder);
  requests = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A service whose answers on some paths are changed, at most 200 times. */
const changed = (part: string, change: (answer: Answer, path: string) => unknown): { readonly ask: AskCivic } => ({
  async ask(path, method) {
    if ((requests += 1) > 200) throw new Error('it asked without an end');
    const answer = await service.ask<Answer>(path, method);
    return (path.includes(part) ? (change(answer, path) ?? answer) : answer) as never;
  },
});
/** A mirror that takes snapshots again does not wait for real. */
const patient = { sleep: () => Promise.resolve() };
const topics = () => readFileSync(join(folder, 'topics.ndjson'), 'utf8').split('\n').length - 1;

describe('a snapshot that cannot be right is refused, and the mirror stays as it was', () => {
  test.each<[string, string, (answer: Answer, path: string) => unknown, RegExp]>([
    [
      'pages lead back to themselves',
      '/topics?',
      ({ meta }) => void Object.assign(meta, { hasMore: true, nextCursor: '2' }),
      /next cursor did not advance/,
    ],
    [
      'pages do not end',
      '/topics?',
      ({ meta, data }, path) => {
        Object.assign(meta, { hasMore: true, nextCursor: String(requests) });
        data.items = [{ id: recordId('topics', 100 + requests), path }];
      },
      /more topics than it counts/,
    ],
    ['an answer is null', '/topics?', () => ({ data: null }), /is not a page/],
    [
      'an id is no uuid',
      '/topics?',
      ({ data }) => void Object.assign(data.items[0]!, { id: '","data":{}}\n' }),
      /an id that is not a uuid/,
    ],
    [
      'the snapshot has another form',
      '/snapshots',
      (answer) => void (answer.data.snapshotId &&= '../../x'),
      /is not a snapshot/,
    ],
    [
      'a digest is wrong',
      '/snapshots',
      ({ data }) => void (data.digests &&= { ...data.digests, topics: '0'.repeat(64) }),
      /do not match its digest/,
    ],
    [
      'a resource is unknown',
      '/snapshots',
      ({ data }) => void (data.digests &&= { ...data.digests, people: '0'.repeat(64) }),
      /a resource people, .* install a newer one/,
    ],
  ])('%s', async (_, part, change, message) => {
    await runMirror(service, store);
    expect(topics()).toBe(3);
    const counted = changed('/snapshots', (answer, path) => {
      if (path.endsWith('/snapshots')) answer.data.counts = { topics: 3 };
      return path.includes(part) ? change(answer, path) : undefined;
    });
    await expect(runMirror(counted, store, { newSnapshot: true, ...patient })).rejects.toThrow(message);
    expect(topics()).toBe(3);
    expect(await compareMirror(store, service.digests(3), null)).toMatchObject({ equal: true });
  });
});

describe('a page of changes that cannot be right is not applied', () => {
  test.each<[string, (answer: Answer) => unknown, RegExp]>([
    ['more is said to follow where nothing does', ({ meta }) => void (meta.hasMore = true), /hasMore is true/],
    [
      'a record has the id of another',
      ({ data }) => data.items.forEach((item) => (item['data'] = { id: recordId('topics', 1) })),
      /without its record/,
    ],
    ['a change has no record', ({ data }) => data.items.forEach((item) => delete item['data']), /without its record/],
    ['a cursor is a number', ({ meta }) => void (meta.nextCursor = 7), /a cursor of the feed is no text/],
    [
      'the next cursor is beyond the last change',
      ({ meta }) =>
        void (meta.nextCursor = encodeFeedCursor({
          feedId: service.feedId,
          position: 6,
          fingerprint: null,
          binding: 'all',
        })),
      /feed position 6 follows a page that ends at 5/,
    ],
    [
      'a resource is unknown',
      ({ data }) => data.items.forEach((item) => (item['resource'] = 'people')),
      /install a newer one/,
    ],
    ['an answer is a list', () => [], /is not a page/],
  ])('%s', async (_, change, message) => {
    await runMirror(service, store);
    for (const number of [4, 5]) service.write('topics', recordId('topics', number), { number });
    await expect(runMirror(changed('/changes?', change), store, patient)).rejects.toThrow(message);
    expect(await runMirror(service, store)).toMatchObject({ snapshots: 0 });
    expect(await compareMirror(store, service.digests(5), null)).toMatchObject({ equal: true });
  });
});

test('the last page of the snapshot that comes once more, in place of changes, is read again', async () => {
  let last: unknown;
  let repeated = false;
  const ask: AskCivic = async (path, method) => {
    if (path.includes('/changes?') && !repeated) {
      repeated = true;
      return last as never;
    }
    return (last = await service.ask(path, method)) as never;
  };
  const notices: string[] = [];
  await runMirror({ ask }, store, { onUnfitPage: (reason) => notices.push(reason) });
  expect(notices).toEqual(['a cursor of the feed is no text']);
  expect(await compareMirror(store, service.digests(3), null)).toMatchObject({ equal: true });
});

test('unknown fields are preserved and cause no failure', async () => {
  service.write('topics', recordId('topics', 1), { number: 1, fieldOfLater: { of: ['any', 'form'] } });
  await runMirror(
    changed('/', (answer) => void Object.assign(answer, { extra: 1 })),
    store,
  );
  expect(readFileSync(join(folder, 'topics.ndjson'), 'utf8')).toContain('"fieldOfLater":{"of":["any","form"]}');
  expect(readdirSync(folder).some((name) => name.startsWith('records-'))).toBe(false);
});

describe('a service that answers every cursor with 410', () => {
  const expiredChanges = changed('/changes?', () => {
    throw new CivicError('cursor_expired', 'too old', { status: 410 });
  });
  const pauses: number[] = [];
  const run = (once: boolean, sleep: (milliseconds: number) => Promise<void>) =>
    replicate({
      ...expiredChanges,
      store,
      resource: null,
      once,
      pollMs: 0,
      sleep,
      onProgress: () => undefined,
      onRestart: (_, pauseMs) => pauses.push(pauseMs),
      onUnfitPage: () => undefined,
    });
  beforeEach(() => pauses.splice(0));

  test('receives a limited number of snapshot requests from a mirror that ends', async () => {
    await expect(run(true, () => Promise.resolve())).rejects.toThrow(
      /^5 snapshots in succession led to no copy, the last because: too old; /,
    );
    expect(pauses).toEqual([0, 1000, 2000, 4000, 8000]);
  });

  test('receives ever rarer requests from a mirror that follows, once an hour in the end', async () => {
    const stopped = new Error('stopped');
    let waits = 0;
    requests = -10_000;
    await expect(run(false, () => ((waits += 1) < 15 ? Promise.resolve() : Promise.reject(stopped)))).rejects.toBe(
      stopped,
    );
    expect(pauses.slice(0, 5)).toEqual([0, 1000, 2000, 4000, 8000]);
    expect(pauses.slice(-2)).toEqual([3_600_000, 3_600_000]);
  });
});

describe('a mirror of some resources is refused to a run that wants others', () => {
  const stopped = { ask: () => Promise.reject(new Error('stopped')) };

  test.each<[string, string | null, string | null, RegExp]>([
    ['one, then every resource', 'topics', null, /^the mirror contains topics, not every resource: .*--new-snapshot$/],
    ['every resource, then one', null, 'topics', /^the mirror contains every resource, not topics: /],
  ])('also after it was stopped in the snapshot or behind it: %s', async (_, resource, other, refused) => {
    const until = (part: string): { readonly ask: AskCivic } => ({
      ask: (path, method) => (path.includes(part) ? stopped.ask() : service.ask(path, method)),
    });
    for (const part of ['/topics?', '/changes?']) {
      await expect(runMirror(until(part), store, { resource })).rejects.toThrow('stopped');
      await expect(runMirror(service, store, { resource: other })).rejects.toThrow(refused);
    }
    await runMirror(service, store, { resource });
    await expect(runMirror(service, store, { resource: other })).rejects.toThrow(refused);
    expect(await runMirror(service, store, { resource: other, newSnapshot: true })).toMatchObject({ snapshots: 1 });
  });
});
