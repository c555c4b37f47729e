import { expect, test } from 'vitest';
import type { Operations } from '../../queries/operators/read-operations.ts';
import { createLastHour, POINT_EVERY_MS } from '../../src/edge/ops/last-hour.ts';
import type { Watched } from '../../src/edge/ops/operations-watch.ts';
import type { ProcessState } from '../../src/edge/ops/process-state.ts';
import { createReadOpsState } from '../../src/edge/ops/read-state.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;
const RETENTION_MS = 30 * DAY_MS;
const RATES = { log: null, feed: null, projections: new Map(), reactors: new Map() };
const source = (
  place: string,
  status: 'healthy' | 'failing' | 'stale',
  consecutiveFailures = 0,
): Operations['sources'][number] => ({
  sourceId: place,
  jurisdictionSlug: place,
  sourceType: 'legistar',
  status,
  consecutiveFailures,
  lastCheckedAt: '2026-03-01T11:45:00.000Z',
});

async function stateOf(
  state: {
    readonly reachable?: Watched['reachable'];
    readonly sources?: Operations['sources'];
    readonly trialTime?: number;
    readonly free?: number;
    readonly backupSeconds?: number;
    readonly readers?: Operations['readers'];
    readonly retentionMs?: number;
    readonly unclassified?: number;
    readonly sourceChecks?: Operations['sourceChecks'];
  } = {},
) {
  const operations: Operations = {
    log: { head: '1', events: 1 },
    feedPosition: 1,
    projections: [],
    reactors: [],
    exports: { snapshots: 0, subscriptions: 0 },
    databaseBytes: 9_000_000,
    reports: { open: new Map(), oldestOpen: null, bounds: [], durations: [] },
    sources: state.sources ?? [],
    sourceChecks: state.sourceChecks ?? [],
    payments: new Map(),
    setBacks: [],
    readers: state.readers ?? [],
    unclassified: state.unclassified ?? 0,
    backupSeconds: state.backupSeconds ?? null,
  };
  const read = createReadOpsState({
    watch: async () => ({
      reachable: state.reachable ?? 'answers',
      since: null,
      newest: { operations, at: NOW, rates: RATES },
    }),
    ofProcess: { read: () => ({}) as ReturnType<ProcessState['read']> },
    lastHour: { read: () => [] },
    retentionMs: state.retentionMs ?? RETENTION_MS,
    serviceClock: { now: () => NOW },
    machineClock: { now: () => NOW },
    trialTime: state.trialTime === undefined ? null : () => state.trialTime!,
    freeDiskBytes: async () => state.free ?? null,
  });
  return await read();
}
const problems = async (...args: Parameters<typeof stateOf>) =>
  (await stateOf(...args)).problems.map(({ severity, text }) => `${severity}: ${text}`);

test('a service that is well has no problem', async () => {
  expect(await problems({ free: 10_000_000_000, sources: [source('dallas', 'healthy')] })).toEqual([]);
});

test('a database that does not answer is failing and comes first, whatever else there is', async () => {
  for (const reachable of ['unreachable', 'hangs', 'log-unreachable'] as const) {
    const [first, ...others] = await problems({ reachable, trialTime: NOW, sources: [source('dallas', 'stale')] });
    expect(first).toMatch(/^failing: The (database|log)/);
    expect(others).toHaveLength(2);
  }
});

test('a trial clock is named with its time, and a disk that is nearly full is failing', async () => {
  expect(await problems({ trialTime: Date.parse('2031-01-01T00:00:00.000Z') })).toEqual([
    'attention: TRIAL CLOCK: the time of the service is 2031-01-01T00:00:00.000Z, by a CIVIC_CLOCK_START that this database keeps',
  ]);
  expect((await stateOf({ trialTime: NOW })).trialTime).toBe('2026-03-01T12:00:00.000Z');
  expect(await problems({ free: 100 * 1_048_576 })).toEqual([
    'failing: Only 100 MiB of disk are free: a full disk stops every write',
  ]);
});

const reader = (keyId: string, readAt: number, unreadSince: number | null) => ({
  keyId,
  accountId: 'A',
  readAt,
  unreadSince,
});

test('a reader has the retention from its next change or last read, and those who have two days left ask for attention', async () => {
  const late = reader('late', NOW, NOW - 29 * DAY_MS);
  const state = await stateOf({
    readers: [late, reader('stopped at the head', NOW - 5 * DAY_MS, null), reader('at the head', NOW, null)],
  });
  expect(state.readers.map(({ keyId, secondsLeft }) => [keyId, secondsLeft / 86_400])).toEqual([
    ['late', 1],
    ['stopped at the head', 25],
    ['at the head', 30],
  ]);
  expect(state.problems.map(({ text }) => text)).toEqual([
    'The cursor of key late of account A expires in 24 h: it then needs a new snapshot',
  ]);
});

test('a customer at the head needs no attention where the retention is short', async () => {
  const readers = [reader('late', NOW, NOW - 23 * (DAY_MS / 24)), reader('at the head', NOW, null)];
  expect(await problems({ readers, retentionMs: DAY_MS })).toEqual([
    'attention: The cursor of key late of account A expires in 1 h: it then needs a new snapshot',
  ]);
});

test('a verified backup of more than two days asks for attention, and none at all is only shown', async () => {
  expect(await problems({ backupSeconds: 3 * 86_400 })).toEqual([
    'attention: The newest verified backup is 3 days old',
  ]);
  expect(await problems({ backupSeconds: 86_400 })).toEqual([]);
  expect([await problems(), (await stateOf()).shared!.backupSeconds]).toEqual([[], null]);
});

test('items that could not be classified ask for attention', async () => {
  expect(await problems({ unclassified: 2 })).toEqual([
    'attention: 2 agenda items have no hits because the classifier failed: civic reactors unclassified',
  ]);
});

test('every source is listed with its last check, the worst first, up to fifty', async () => {
  const sources = [
    source('a-city', 'healthy'),
    source('b-city', 'stale', 1),
    source('c-city', 'failing', 2),
    source('d-city', 'failing', 7),
    ...Array.from({ length: 60 }, (_, index) => source(`other-${index}`, 'healthy')),
  ];
  const { shared, problems } = await stateOf({ sources });
  const { listed, more, badCount } = shared!.sources;
  expect(listed.slice(0, 4).map(({ place }) => place)).toEqual(['d-city', 'c-city', 'b-city', 'a-city']);
  expect([listed.length, more, badCount]).toEqual([50, 14, 3]);
  expect(listed[3]).toMatchObject({ lastCheckAt: '2026-03-01T11:45:00.000Z', lastSuccessAt: null });
  expect(problems.map(({ text }) => text)).toEqual([
    '3 sources are not well: d-city (failing), c-city (failing), b-city (stale)',
  ]);
});

test('a failing source states why', async () => {
  const sources = [{ ...source('a-city', 'failing'), lastCheckFailure: 'status 503' }];
  expect(await problems({ sources })).toEqual(['attention: 1 source is not well: a-city (failing: status 503)']);
});

test('a source whose first sync failed is listed as failing, and one with records once', async () => {
  const check = { checkedAt: NOW, failure: 'status 403', failures: 3, reasons: [] };
  const { shared } = await stateOf({
    sources: [source('a-city', 'failing')],
    sourceChecks: [
      { sourceKey: 'civicplus:a', sourceIds: ['1'], ...check },
      { sourceKey: 'civicplus:b', sourceIds: [], ...check },
      { sourceKey: 'civicplus:c', sourceIds: [], ...check, failure: null },
    ],
  });
  expect(shared!.sources.badCount).toBe(2);
  expect(shared!.sources.listed).toContainEqual(
    expect.objectContaining({ place: 'civicplus:b', status: 'failing', consecutiveFailures: 3, failure: 'status 403' }),
  );
});

test('reasons of the last syncs are listed by source, the most frequent first, up to fifty', async () => {
  const check = (sourceKey: string, counts: readonly number[]) => ({
    sourceKey,
    sourceIds: [],
    checkedAt: NOW,
    failure: null,
    failures: 0,
    reasons: counts.map((count) => ({
      effect: 'skipped' as const,
      reason: `reason ${count}`,
      count,
      example: 'event 1',
    })),
  });
  const many = Array.from({ length: 6 }, (_, index) =>
    check(
      `other:${index}`,
      Array.from({ length: 10 }, () => 1),
    ),
  );
  const { shared } = await stateOf({ sourceChecks: [check('a:b', [2, 7]), ...many] });
  const { listed, more } = shared!.sourceReasons;
  expect(listed.slice(0, 2)).toMatchObject([
    { source: 'a:b', reason: 'reason 7', count: 7, effect: 'skipped', example: 'event 1' },
    { source: 'a:b', reason: 'reason 2' },
  ]);
  expect([listed.length, more]).toEqual([50, 12]);
});

test('the last hour has the rates between its points and the lag, and forgets what is older', async () => {
  let now = NOW;
  let [requests, refused] = [100, 10];
  const lags: (number | null)[] = [4, null];
  const totals = () => ({ buckets: [requests, 0], refusals: new Map([['rate_limited', refused]]) });
  const hour = createLastHour(totals, async () => (lags.length === 0 ? 0 : lags.shift()!), { now: () => now });
  expect(hour.read()).toEqual([]);
  for (const [more, moreRefused] of [
    [300, 30],
    [0, 0],
  ] as const) {
    now += POINT_EVERY_MS;
    requests += more;
    refused += moreRefused;
    await hour.point();
  }
  expect(hour.read()).toEqual([
    { at: NOW + POINT_EVERY_MS, requests: 10, refusals: 1, lag: 4 },
    { at: NOW + 2 * POINT_EVERY_MS, requests: 0, refusals: 0, lag: null },
  ]);
  for (let count = 0; count < 200; count += 1) {
    now += POINT_EVERY_MS;
    await hour.point();
  }
  expect(hour.read()).toHaveLength(120);
  expect(now - hour.read()[0]!.at).toBeLessThan(3_600_000);
});
