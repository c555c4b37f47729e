import { expect, test } from 'vitest';
import { type FeedPageRow, feedPageStatement, toFeedPage } from '../../queries/feed/feed-page.ts';
import { createReadCivicChanges } from '../../queries/feed/read-civic-changes.ts';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';

const FEED = '00000000-0000-4000-8000-000000000001';
const PRINT = '0123456789abcdef';
const ITEM = '"resource":"topics","operation":"remove"';

function reading(rows: readonly FeedPageRow[], resource?: 'topics') {
  const reads = { rows: () => Promise.resolve(rows) } as unknown as LiveReads;
  const read = createReadCivicChanges({
    reads,
    clock: { now: () => 1000, sleep: () => Promise.resolve() },
    retentionMs: 500,
  });
  const cursor = encodeFeedCursor({ feedId: FEED, position: 5, fingerprint: null, binding: 'nothing' });
  return read({ cursor, limit: 10, maxResponseBytes: 1000, ...(resource === undefined ? {} : { resource }) });
}

const meta = (
  changes: Partial<Record<'head' | 'start' | 'last' | 'bytes', number>> & { more?: boolean; feed?: string | null } = {},
): FeedPageRow => ({
  facts: {
    generation: 1,
    erasures: null,
    head: changes.head ?? 7,
    headFingerprint: PRINT,
    feedId: changes.feed === undefined ? FEED : changes.feed,
    prunedThrough: 0,
    start: changes.start ?? 5,
    startFingerprint: PRINT,
    changedAfterStart: 900,
    last: changes.last ?? 7,
    changedAfterLast: null,
    bytes: changes.bytes ?? 80,
    moreAfterLast: changes.more ?? false,
  },
});

const item = (position: number, body = '', fingerprint: string | null = PRINT): FeedPageRow => ({
  facts: null,
  position,
  envelope: ITEM,
  body,
  fingerprint,
});

test('statements of one name have one text for any parameters, and each form has its own name', () => {
  const texts = new Map<string, string>();
  for (const resource of [null, 'topics', 'meetings'] as const) {
    for (const after of [null, 0, 99]) {
      for (const generation of [1, 2]) {
        const { name, text, values } = feedPageStatement(generation, {
          after,
          resource,
          limit: 5,
          maxBytes: 9,
          cutoff: 3,
        });
        expect(texts.get(name!) ?? text).toBe(text);
        texts.set(name!, text);
        expect(new Set(text.match(/\$\d+/g)).size).toBe(values.length);
      }
    }
  }
  expect(texts.size).toBe(8);
});

test('a page whose positions have a gap, repeat or fall is a defect and not answered', async () => {
  const rows = (...positions: readonly number[]) => [meta(), ...positions.map((position) => item(position))];
  await expect(reading(rows(6, 7))).resolves.toMatchObject({ items: 2 });
  await expect(reading(rows(7))).rejects.toThrow('7 follows 5');
  await expect(reading(rows(6, 6))).rejects.toThrow('6 follows 6');
  await expect(reading(rows(7, 6))).rejects.toThrow('follows');
  await expect(reading(rows(5, 6))).rejects.toThrow('5 follows 5');
  await expect(reading(rows(7), 'topics')).resolves.toMatchObject({ items: 1 });
  await expect(reading(rows(7, 6), 'topics')).rejects.toThrow('6 follows 7');
});

test('a page over the byte limit is refused, and a feed that is not open yet is unavailable', async () => {
  await expect(reading([meta({ bytes: 1001 })])).rejects.toMatchObject({ code: 'response_too_large' });
  await expect(reading([meta({ feed: null })])).rejects.toMatchObject({ code: 'feed_unavailable' });
});

test('the first row of an answer is its meta, the others its items', () => {
  const page = toFeedPage([meta({ more: true }), item(6, ',"data":{}'), item(7, '', null)]);
  expect(page).toMatchObject({
    head: 7,
    feedId: FEED,
    prunedThrough: 0,
    start: 5,
    changedAfterStart: 900,
    last: 7,
    moreAfterLast: true,
  });
  expect(page.items).toEqual([item(6, ',"data":{}'), item(7, '', null)]);
});
