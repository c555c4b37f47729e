import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTakeSnapshot } from '../../commands/snapshots/take-snapshot.ts';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import type { Projector } from '../../src/processors/projector/projector.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { snapshots } from '../../projections/snapshots/projection.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import type { ReadDatabase, Statement } from '../../domain/ports/database.ts';
import { Rejection } from '../../domain/rejections.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { DAY_MS, LIFETIME_MS, openFreshCivic, RETENTION_MS, type TestCivic, untilTrue } from '../support/civic.ts';
import { randomChanges, randomFrom, SOME_RESOURCES, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { expectedFeed, linesOf, positionOf, readPage, stateAt, totalsOf } from '../support/history-checker.ts';

const MAX_BYTES = 50_000_000;
let civic: TestCivic;
let projector: Projector;
let account: string;
const random = randomFrom(testSeed());

beforeAll(async () => {
  civic = await openFreshCivic({ leaseMs: 1000 });
  account = civic.identifiers.next();
  projector = civic.startProjector();
  for (let round = 0; round < 5; round++) await change();
});
afterAll(() => civic?.close());

async function change(count = 40) {
  await civic.writer.write(randomChanges(random, count, 30), {});
  await civic.caughtUp();
}

const take = () => civic.takeSnapshot({ accountId: account, keyId: account, requestId: 'test' });

/** Reads every record of a snapshot; `between` runs after each page. */
async function readAll(snapshotId: string, limit: number, between: () => Promise<void> = async () => undefined) {
  const state = new Map<string, string>();
  for (const resource of SOME_RESOURCES) {
    let cursor: string | undefined;
    do {
      const page = await civic.snapshotPage({
        accountId: account,
        snapshotId,
        resource,
        limit,
        maxResponseBytes: MAX_BYTES,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const { data, meta } = JSON.parse(page.text) as {
        data: { items: { id: string }[] };
        meta: { nextCursor: string | null; hasMore: boolean };
      };
      expect(meta.hasMore).toBe(meta.nextCursor !== null);
      for (const item of data.items) {
        expect(state.has(`${resource} ${item.id}`)).toBe(false);
        state.set(`${resource} ${item.id}`, JSON.stringify(item));
      }
      cursor = meta.nextCursor ?? undefined;
      await between();
    } while (cursor !== undefined);
  }
  return state;
}

const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof Rejection ? error.code : String(error)),
  );

test('every filter accepts the boundary cursor; the cursors of a read are bound to its filter', async () => {
  const { boundaryCursor } = await take();
  const read = (cursor: string, resource?: Resource) =>
    civic.changes({ cursor, ...(resource === undefined ? {} : { resource }), limit: 10, maxResponseBytes: MAX_BYTES });
  for (const resource of [undefined, 'topics', 'documents'] as const) {
    const minted = readPage((await read(boundaryCursor, resource)).text).nextCursor;
    expect(await code(read(minted, resource))).toBe('answered');
    for (const other of [undefined, 'topics', 'documents', 'meetings'] as const) {
      if (other !== resource) expect(await code(read(minted, other))).toBe('invalid_parameter');
    }
  }
});

test('the pages of a snapshot do not change while records change, rebuilds switch and pruning runs', async () => {
  const { snapshotId, boundaryCursor, counts, digests } = await take();
  const boundary = positionOf(boundaryCursor);
  const expected = stateAt(await expectedFeed(civic.log), boundary);
  let switches = 0;
  const state = await readAll(snapshotId, 9, async () => {
    await change(10);
    const projection = switches % 2 === 0 ? recordHistory : snapshots;
    switches += 1;
    if (switches > 6) return;
    const { generation } = await civic.generations.create(projection, 'building', Date.now());
    projector.nudge();
    await untilTrue('the rebuilt generation serves', async () => (await civic.live(projection.name)) === generation);
    await civic.prune(civic.clock.now() + 6 * DAY_MS);
  });
  expect(linesOf(state)).toEqual(linesOf(expected));
  expect(totalsOf(state)).toEqual({ counts, digests });
});

test('retention passes the boundary of a snapshot exactly when it has expired', async () => {
  // The snapshot lives longer than the retention; otherwise its boundary would not limit the pruning.
  const lasting = createTakeSnapshot({
    log: civic.log,
    clock: civic.clock,
    identifiers: civic.identifiers,
    readHead: () => readFeedHead(civic.reads),
    visible: (position) => civic.progress.waitFor(snapshots.name, position, Date.now() + 10_000),
    lifetimeMs: 3 * RETENTION_MS,
    deadlineMs: 10_000,
  });
  const { snapshotId, boundaryCursor } = await lasting({ accountId: account, keyId: account, requestId: 'test' });
  const boundary = positionOf(boundaryCursor);
  const before = await readAll(snapshotId, 500);
  for (let round = 0; round < 3; round++) {
    civic.clock.advance(RETENTION_MS / 2 + DAY_MS);
    await change();
    await civic.prune();
  }
  const mark = async () => Number((await civic.rows('select pruned_through from civic.feed_retention'))[0]![0]);
  expect(await mark()).toBe(boundary);
  expect(linesOf(await readAll(snapshotId, 7))).toEqual(linesOf(before));
  civic.clock.advance(3 * RETENTION_MS);
  expect(await code(readAll(snapshotId, 7))).toBe('not_found');
  await civic.prune();
  expect(await mark()).toBeGreaterThan(boundary);
});

test('a snapshot whose rows may be pruned is refused as expired and never shown in part', async () => {
  const { snapshotId, boundaryCursor } = await take();
  await change();
  await civic.rows(`update civic.feed_retention set pruned_through = ${positionOf(boundaryCursor) + 1}`);
  expect(await code(readAll(snapshotId, 500))).toBe('cursor_expired');
  expect(await code(readAll((await take()).snapshotId, 500))).toBe('answered');
});

test('a snapshot that belongs to another account, is unknown or has expired is not found', async () => {
  const { snapshotId } = await take();
  const page = (id: string, accountId: string) =>
    code(civic.snapshotPage({ accountId, snapshotId: id, resource: 'topics', limit: 10, maxResponseBytes: MAX_BYTES }));
  expect(await page(snapshotId, account)).toBe('answered');
  expect(await page(snapshotId, civic.identifiers.next())).toBe('not_found');
  expect(await page(civic.identifiers.next(), account)).toBe('not_found');
  civic.clock.advance(LIFETIME_MS - 1);
  expect(await page(snapshotId, account)).toBe('answered');
  civic.clock.advance(1);
  expect(await page(snapshotId, account)).toBe('not_found');
});

/** The database with a callback after every statement. */
const disturbed = (database: ReadDatabase, between: () => Promise<void>): ReadDatabase => ({
  many: async (query) => {
    const rows = await database.many(query);
    await between();
    return rows;
  },
  rows: async <Row>(statement: Statement) => {
    const rows = await database.rows<Row>(statement);
    await between();
    return rows;
  },
});

test('position, counts and digests of a snapshot are of one moment, with concurrent commits', async () => {
  let number = 0;
  const between = async () => {
    await civic.writer.write([upsert('topics', 1000 + number, number)], {});
    number += 1;
    await civic.caughtUp();
  };
  const reads = createLiveReads(disturbed(civic.database.read, between));
  for (let times = 0; times < 5; times++) {
    const { position, counts, digests } = await readFeedHead(reads);
    const state = stateAt(await expectedFeed(civic.log), position);
    expect({ counts, digests }).toEqual(totalsOf(state));
  }
  expect(number).toBeGreaterThan(4);
});

test('a page at a boundary shows no later version and misses none, with concurrent changes and pruning', async () => {
  const stopping = new AbortController();
  const working = (async () => {
    while (!stopping.signal.aborted) {
      civic.clock.advance(2 * DAY_MS);
      await change(15);
      await civic.prune();
    }
  })();
  for (let times = 0; times < 12; times++) {
    const { snapshotId, boundaryCursor } = await take();
    const boundary = positionOf(boundaryCursor);
    const state = await readAll(snapshotId, 11).catch((error: unknown) => {
      expect(error).toBeInstanceOf(Rejection);
      expect(['not_found', 'cursor_expired']).toContain((error as Rejection).code);
      return null;
    });
    if (state === null) continue;
    expect(linesOf(state)).toEqual(linesOf(stateAt(await expectedFeed(civic.log), boundary)));
  }
  stopping.abort();
  await working;
});
