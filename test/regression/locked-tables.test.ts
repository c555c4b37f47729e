import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nightlyDescribe, nightlyTest } from '../support/nightly-test.ts';
import { readCivicHealth } from '../../contract/read-civic-health.ts';
import { LOG_START } from '../../domain/ports/event-log.ts';
import { generationTable } from '../../domain/ports/projection.ts';
import { MANY_CLIENTS, newReport, readReport, submitReport } from '../support/report-requests.ts';
import { type KurrentPeer, startKurrentPeer } from '../support/kurrent-peer.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';
import { createFeed, eventsOfFeeds, newFeed, pollFeed, revokeFeed } from '../support/subscription-requests.ts';

const DEADLINE_MS = 5_000;
/** More than the deadline, and less than the time for which statements of the log wait without one. */
const PATIENCE_MS = 30_000;
const SETTINGS = { ...MANY_CLIENTS, CIVIC_STATEMENT_TIMEOUT: 'PT5S' };

let database: TestDatabase;
let served: ServedCivic;
let account: string;
let key: string;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url, SETTINGS);
  account = await served.openAccount();
  key = (await served.issueKey(account)).secret;
});
afterAll(async () => {
  await served?.close();
  await database?.close();
});

/** Runs the work while another session locks the tables, and then unlocks them. */
async function whileLocked<Result>(tables: readonly string[], work: () => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    for (const table of tables) await client.query(`lock table ${table} in access exclusive mode`);
    return await work();
  } finally {
    await client.end();
  }
}
const inTime = (answer: Promise<Response>): Promise<Response> =>
  Promise.race([
    answer,
    new Promise<never>((_, reject) => {
      AbortSignal.timeout(PATIENCE_MS).addEventListener('abort', () => reject(new Error('it was not answered')), {
        once: true,
      });
    }),
  ]);
async function liveTable(projection: string, part?: string): Promise<string> {
  const live = (await served.civic.generations.list()).find(
    (row) => row.projection === projection && row.state === 'live',
  );
  return generationTable(projection, live!.generation, part);
}
const healthOf = async (at: ServedCivic, secret: string) =>
  readCivicHealth.success.schema.parse(await (await inTime(at.ask('GET', '/health', secret))).json()).data;

const takeSnapshot = (at: ServedCivic, secret: string) => at.ask('POST', '/snapshots', secret);
const snapshotsTaken = async (): Promise<number> =>
  (await served.civic.log.readAll({ after: LOG_START, limit: 1_000, types: ['SnapshotTaken'] })).events.length;

/** Every operation that writes or reads the log, all at once, because each waits for the whole deadline. */
async function expectAllRefused(at: ServedCivic, secret: string, feedId: string): Promise<void> {
  const [snapshot, creation, revocation, report] = await Promise.all([
    inTime(takeSnapshot(at, secret)),
    inTime(createFeed(at, secret, { name: 'late', resource: null })),
    inTime(revokeFeed(at, secret, feedId)),
    inTime(submitReport(at, secret, randomUUID())),
  ]);
  for (const answer of [snapshot, creation, revocation]) await expectRefusal(answer, 504, 'timeout');
  await expectRefusal(report, 503, 'authentication_unavailable');
}

test('with the log locked every write is refused by the deadline, and health names the log', async () => {
  const feed = await newFeed(served, key, 'before');
  const before = await eventsOfFeeds(served, account);
  const health = await whileLocked(['civic.events'], async () => {
    const [outcome] = await Promise.all([healthOf(served, key), expectAllRefused(served, key, feed.id)]);
    served.clock.advance(DEADLINE_MS);
    return outcome;
  });
  expect(health.status).toBe('unavailable');
  expect(health.pipeline.unanswered).toEqual(['log', 'projections', 'reactors']);
  expect(health.pipeline.head).not.toBeNull();
  // The next command of the account waits for those before it; the effect of a failed one stays absent.
  await newFeed(served, key, 'after');
  expect((await eventsOfFeeds(served, account)).slice(before.length).map(({ type }) => type)).toEqual([
    'FeedSubscriptionCreated',
  ]);
  await expect.poll(async () => (await healthOf(served, key)).status, { timeout: PATIENCE_MS }).toBe('healthy');
});

describe('the tables of the answer are read before anything is stored', () => {
  test('no subscription is created while the read model of subscriptions cannot be read', async () => {
    const before = await eventsOfFeeds(served, account);
    await whileLocked([await liveTable('subscriptions')], async () => {
      await expectRefusal(await inTime(createFeed(served, key, { name: 'unread', resource: null })), 504, 'timeout');
    });
    await newFeed(served, key, 'read again');
    const names = (await eventsOfFeeds(served, account))
      .slice(before.length)
      .map(({ data }) => ('name' in data ? data.name : null));
    expect(names).toEqual(['read again']);
  });

  nightlyTest('no snapshot is created while the read model of snapshots cannot be read', async () => {
    const before = await snapshotsTaken();
    await whileLocked([await liveTable('snapshots')], async () => {
      await expectRefusal(await inTime(takeSnapshot(served, key)), 504, 'timeout');
    });
    expect((await takeSnapshot(served, key)).status).toBe(201);
    expect(await snapshotsTaken()).toBe(before + 1);
  });
});

nightlyTest.each([
  ['checkpoints of deciders', ['civic.decider_checkpoints']],
  ['progress of read models', ['civic.generations']],
])('with the %s locked each write is answered by the deadline', async (_, tables) => {
  const feed = await newFeed(served, key, `with ${tables.join()}`);
  await whileLocked(tables, async () => {
    const answers = await Promise.all([
      inTime(createFeed(served, key, { name: `late ${tables.join()}`, resource: null })),
      inTime(revokeFeed(served, key, feed.id)),
      inTime(submitReport(served, key, randomUUID())),
    ]);
    for (const { status } of answers) expect([503, 504]).toContain(status);
  });
});

test('health names the feed while its tables are locked', async () => {
  const outcome = await whileLocked(
    [await liveTable('record_history'), await liveTable('record_history', 'state')],
    () => healthOf(served, key),
  );
  expect(outcome).toMatchObject({
    status: 'unavailable',
    sources: [],
    pipeline: { head: null, unanswered: ['feed', 'sources'] },
  });
});

nightlyTest('health is degraded while the reactors cannot be listed, and names them', async () => {
  const outcome = await whileLocked(['civic.processors'], () => healthOf(served, key));
  expect(outcome).toMatchObject({ status: 'degraded', pipeline: { unanswered: ['reactors'] } });
});

nightlyTest('a report and a poll are answered by the deadline while their read models are locked', async () => {
  const feed = await newFeed(served, key, 'polled');
  const { reportId } = await newReport(served, key);
  await whileLocked([await liveTable('reports'), await liveTable('subscriptions')], async () => {
    const [report, poll] = await Promise.all([
      inTime(readReport(served, key, reportId)),
      inTime(pollFeed(served, key, feed.id)),
    ]);
    await expectRefusal(report, 503, 'authentication_unavailable');
    await expectRefusal(poll, 504, 'timeout');
  });
});

nightlyDescribe('on KurrentDB', () => {
  let peer: KurrentPeer;
  let home: TestDatabase;
  let other: ServedCivic;
  beforeAll(async () => {
    peer = await startKurrentPeer();
    home = await startTestDatabase();
    other = await serveCivic(home.url, { ...SETTINGS, EVENTSTORE_URL: peer.url });
  });
  afterAll(async () => {
    peer?.way.flow();
    await other?.close();
    await home?.close();
    await peer?.stop();
  });

  test('with a log that does not answer every write is refused by the deadline, and health names the log', async () => {
    const secret = (await other.issueKey(await other.openAccount())).secret;
    const feed = await newFeed(other, secret, 'before');
    peer.way.stall();
    const [outcome] = await Promise.all([healthOf(other, secret), expectAllRefused(other, secret, feed.id)]);
    expect(outcome.status).toBe('unavailable');
    expect(outcome.pipeline.unanswered).toContain('log');
    other.clock.advance(DEADLINE_MS);
    peer.way.flow();
    await expect
      .poll(async () => (await createFeed(other, secret, { name: 'after', resource: null })).status, {
        timeout: PATIENCE_MS,
      })
      .toBe(201);
  });
});
