import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeFeedCursor } from '../../domain/cursor.ts';
import { Disturbances, type Touched } from '../soak/disturbances.ts';
import { judgeAnswer, type Outcome } from '../soak/judge-answer.ts';
import { PublishedFeed, type WireItem } from '../soak/published-feed.ts';

const feedId = randomUUID();
const item = (position: number, title: string): WireItem => ({
  cursor: encodeFeedCursor({ feedId, position, fingerprint: null, binding: 'all' }),
  resource: 'documents',
  operation: 'upsert',
  recordId: 'b4f8a7c0-0000-4000-8000-000000000001',
  version: String(position),
  changedAt: '2026-01-01T00:00:00.000Z',
  data: { title },
});

describe('the answers to different readers are compared', () => {
  test('other content at a position that was read before is found', () => {
    const feed = new PublishedFeed();
    feed.see(item(1, 'a'));
    expect(() => feed.see(item(1, 'a'))).not.toThrow();
    expect(() => feed.see(item(1, 'b'))).toThrow('position 1 was');
  });

  test('the feed is complete up to the first position that was not read', () => {
    const feed = new PublishedFeed();
    for (const position of [1, 2, 4]) feed.see(item(position, `at ${position}`));
    expect(feed.whole).toBe(2);
    feed.see(item(3, 'at 3'));
    expect(feed.whole).toBe(4);
  });
});

describe('a refusal is allowed only if a fault concerned it during the request', () => {
  const refused = (status: number, code: string, headers: Record<string, string> = {}): Outcome => ({
    kind: 'answer',
    status,
    text: JSON.stringify({ error: { code, message: 'no' } }),
    headers: new Headers({ 'cache-control': 'no-store', ...headers }),
  });
  const judged = (
    outcome: Outcome,
    touched: readonly Touched[] | null,
    operation: 'readCivicChanges' | 'createCivicSnapshot' = 'readCivicChanges',
  ) => {
    const disturbances = new Disturbances();
    if (touched !== null) disturbances.begin('a fault', touched);
    const now = performance.now();
    const verdict = judgeAnswer({ operation, member: 'api-1', from: now, to: now + 10 }, outcome, disturbances);
    return typeof verdict === 'string' ? verdict : 'wrong';
  };

  test.each<[string, Outcome, readonly Touched[] | null, string]>([
    ['503 while the database is unreachable', refused(503, 'feed_unavailable'), ['database'], 'again'],
    ['503 while its own link is down', refused(503, 'feed_unavailable'), ['link api-1'], 'again'],
    ['503 while the link of another process is down', refused(503, 'feed_unavailable'), ['link api-2'], 'wrong'],
    ['503 without a fault', refused(503, 'feed_unavailable'), null, 'wrong'],
    ['504 of a read that does not wait for folding', refused(504, 'timeout'), ['folding'], 'wrong'],
    ['500 at any time', refused(500, 'internal_error'), ['database', 'process api-1'], 'wrong'],
    ['410 at any time', refused(410, 'cursor_expired'), ['database'], 'wrong'],
    ['503 with the status of another code', refused(504, 'feed_unavailable'), ['database'], 'wrong'],
    ['a code of another part of the interface', refused(503, 'queue_unavailable'), ['database'], 'wrong'],
    ['a Retry-After beside a 503', refused(503, 'feed_unavailable', { 'retry-after': '1' }), ['database'], 'wrong'],
    [
      'an answer that a cache may keep',
      refused(503, 'feed_unavailable', { 'cache-control': 'public' }),
      ['database'],
      'wrong',
    ],
    [
      'no answer of a process that was killed',
      { kind: 'none', how: 'broken', why: 'other side closed' },
      ['process api-1'],
      'again',
    ],
    [
      'no answer while the database is unreachable',
      { kind: 'none', how: 'broken', why: 'other side closed' },
      ['database'],
      'wrong',
    ],
  ])('%s', (_, outcome, touched, expected) => {
    expect(judged(outcome, touched)).toBe(expected);
  });

  test('any fault may delay a request that appends and waits for the read model', () => {
    expect(judged(refused(504, 'timeout'), ['folding'], 'createCivicSnapshot')).toBe('again');
  });

  test('a fault allows no refusal of a much later request', () => {
    const disturbances = new Disturbances();
    disturbances.end(disturbances.begin('a fault', ['database']));
    const later = performance.now() + 60_000;
    expect(disturbances.during(later, later + 1)).toBe(false);
  });
});
