import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeFeedCursor, encodeSnapshotPageCursor, type FeedBinding } from '../../domain/cursor.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { DAY_MS, openFreshCivic, RETENTION_MS, type TestCivic } from '../support/civic.ts';
import { answerOf, fingerprintAt, type FeedAnswer, type FeedQuestion, floorOf } from '../support/civic-oracle.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { expectedFeed, readPage } from '../support/history-checker.ts';
import { testRuns } from '../support/test-runs.ts';

const OTHER_FEED = '00000000-0000-4000-8000-0000000000ff';
let civic: TestCivic;
let mark = 0;

beforeAll(async () => {
  civic = await openFreshCivic();
  civic.startProjector();
  await civic.caughtUp();
});
afterAll(() => civic?.close());

const world = async () => ({
  feedId: civic.feedId,
  changes: await expectedFeed(civic.log),
  mark,
  now: civic.clock.now(),
  retentionMs: RETENTION_MS,
});

const resources = fc.constantFrom<(Resource | null)[]>(null, null, 'topics', 'documents', 'stream_records', 'meetings');
const limits = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(500));
/** The place of a cursor, as a distance from one of the places where answers change. */
const places = fc.record({
  near: fc.constantFrom('start', 'mark', 'mark', 'floor', 'floor', 'head', 'anywhere'),
  distance: fc.integer({ min: -2, max: 2 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});
const bindings = fc.constantFrom<(FeedBinding | 'the filter')[]>(
  'nothing',
  'the filter',
  'the filter',
  'all',
  'topics',
  'documents',
);

const actions = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      count: fc.integer({ min: 1, max: 15 }),
      seed: fc.integer(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), days: fc.constantFrom(0, 1, 3, 6, 9, 12) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('prune' as const) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      form: fc.constantFrom(
        'none',
        'cursor',
        'cursor',
        'cursor',
        'cursor',
        'old cursor',
        'lost history',
        'other feed',
        'page cursor',
        'damaged',
      ),
      place: places,
      binding: bindings,
      resource: resources,
      limit: limits,
      damage: fc.nat(),
    }),
  },
);
type Read = Extract<typeof actions extends fc.Arbitrary<infer Action> ? Action : never, { kind: 'read' }>;

async function requestAnswer(question: Omit<FeedQuestion, 'cursor'>, cursor: string | undefined): Promise<FeedAnswer> {
  try {
    const { text } = await civic.changes({
      ...(cursor === undefined ? {} : { cursor }),
      ...(question.resource === null ? {} : { resource: question.resource }),
      limit: question.limit,
      maxResponseBytes: 50_000_000,
    });
    const { items, next, hasMore, replayExpiresAt, historyPruned, nextCursor } = readPage(text);
    expect(nextCursor).toBe(
      encodeFeedCursor({
        feedId: civic.feedId,
        position: next,
        fingerprint: fingerprintAt((await world()).changes, next),
        binding: question.resource ?? 'all',
      }),
    );
    return {
      items: items.map((item) => `${item.position} ${item.text}`),
      next,
      hasMore,
      replayExpiresAt,
      historyPruned,
    };
  } catch (error) {
    if (error instanceof Rejection && (error.code === 'invalid_parameter' || error.code === 'cursor_expired'))
      return { refused: error.code };
    throw error;
  }
}

async function read({ form, place, binding, resource, limit, damage }: Read) {
  const state = await world();
  const head = state.changes.length;
  const base = { start: 0, mark, floor: floorOf(state), head, anywhere: Math.round(place.share * head) }[place.near];
  const position = Math.max(0, base + place.distance);
  const cursor = {
    feedId: form === 'other feed' ? OTHER_FEED : civic.feedId,
    position,
    fingerprint:
      form === 'old cursor'
        ? null
        : form === 'lost history'
          ? 'f00f'.repeat(4)
          : fingerprintAt(state.changes, position),
    binding: binding === 'the filter' ? (resource ?? 'all') : binding,
  };
  let text: string | undefined = encodeFeedCursor(cursor);
  let parts: FeedQuestion['cursor'] = cursor;
  if (form === 'none') [text, parts] = [undefined, null];
  else if (form === 'page cursor') {
    text = encodeSnapshotPageCursor({ feedId: civic.feedId, snapshotId: OTHER_FEED, resource: 'topics', position });
    parts = 'other kind';
  } else if (form === 'damaged') {
    const at = damage % text.length;
    text = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
    parts = 'damaged';
  }
  const answer = await requestAnswer({ resource, limit }, text);
  expect(answer).toEqual(answerOf(state, { cursor: parts, resource, limit }));
}

test('a model of feed, replay floor, mark and filter predicts every answer to every cursor', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 10, maxLength: 40 }), async (steps) => {
      for (const step of steps) {
        if (step.kind === 'read') await read(step);
        else if (step.kind === 'advance') civic.clock.advance(step.days * DAY_MS);
        else if (step.kind === 'write') {
          await civic.writer.write(randomChanges(randomFrom(step.seed), step.count, 4), {});
          await civic.caughtUp();
        } else {
          await civic.prune();
          mark = floorOf(await world());
        }
      }
    }),
    { numRuns: testRuns(8), seed: testSeed() },
  );
});
