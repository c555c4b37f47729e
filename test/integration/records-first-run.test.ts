import { hash, randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { ForeignLogFound, openedFeed, openFeed } from '../../commands/feed/feed-identity.ts';
import { createRecordWriter, type RecordChange } from '../../commands/records/write-records.ts';
import { writeSeed } from '../../commands/seeds/write-seed.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { createFillLock } from '../../infra/postgresql/read-models/fill-lock.ts';
import { type EventLog, LOG_START, LogUnavailable, NO_STREAM } from '../../domain/ports/event-log.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { RESTORE_BEGUN } from '../../domain/events/feed-events.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import { recordStream, restoreStream } from '../../domain/streams.ts';
import { sources } from '../../src/app/modules/sources.ts';
import type { Platform } from '../../src/app/platform.ts';
import type { Connectors } from '../../src/sources/added-sources.ts';
import { catalogueRecords } from '../../src/sources/catalogue/catalogue-records.ts';
import { fillNewLog, SAMPLE_ACCOUNT_ID } from '../../src/sources/first-run.ts';
import { sampleRemovals } from '../../src/sources/sample/sample-records.ts';
import { SOURCES } from '../../src/sources/sources.ts';
import { taxonomyRecords } from '../../src/sources/taxonomy/taxonomy-records.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { newEvent } from '../support/event-log-builders.ts';
import { expectedFeed, linesOf, stateAt } from '../support/history-checker.ts';
import { UNREAD_DOCUMENTS } from '../support/unread-documents.ts';

const RESTORE_ID = '00000000-0000-4000-8000-000000000001';

let server: TestDatabase | undefined;
let civic: TestCivic | undefined;

async function open(): Promise<TestCivic> {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url);
  return civic;
}

async function close(): Promise<void> {
  const [opened, database] = [civic, server];
  [civic, server] = [undefined, undefined];
  await opened?.close();
  await database?.close();
}

afterEach(close);

/** A process that dies at its n-th append, before or after it is stored. */
function dyingAt(log: EventLog, appends: number, stored: boolean): EventLog {
  let appendsLeft = appends;
  const dying = async <Result>(append: () => Promise<Result>): Promise<Result> => {
    appendsLeft -= 1;
    if (appendsLeft > 0) return append();
    if (appendsLeft === 0 && stored) await append();
    throw new Error('the process died');
  };
  return {
    ...log,
    append: (one) => dying(() => log.append(one)),
    appendEach: (many) => dying(() => log.appendEach(many)),
  };
}

async function start({ clock, identifiers }: TestCivic, log: EventLog, sample: 'new' | 'off' = 'new') {
  const writer = createRecordWriter({ log, clock, identifiers, deadlineMs: 10_000 });
  return fillNewLog({ log, clock, identifiers, randomBytes, writer }, { sample, sampleKey: true });
}

async function contents(log: EventLog): Promise<string[]> {
  const changes = await expectedFeed(log);
  const withoutTimes = [...stateAt(changes, changes.length)].map(([key, data]) => {
    const { createdAt: _, updatedAt: __, ...content } = JSON.parse(data) as Record<string, unknown>;
    return [key, JSON.stringify(content)] as const;
  });
  return linesOf(withoutTimes);
}

test('a first run that dies at any of its appends is completed by the next start', async () => {
  const whole = await open();
  expect((await start(whole, whole.log))?.key).toMatch(/^crs_/);
  const expectedContents = await contents(whole.log);
  expect(expectedContents.length).toBeGreaterThan(catalogueRecords().length);
  expect(await start(whole, whole.log)).toBeNull();
  expect(await contents(whole.log)).toEqual(expectedContents);
  await close();
  for (const [appends, stored] of [1, 2, 3, 4, 5, 6, 7].map((nth) => [nth, nth % 2 === 0] as const)) {
    const cut = await open();
    await start(cut, dyingAt(cut.log, appends, stored)).catch((error: Error) =>
      expect(error.message).toBe('the process died'),
    );
    cut.clock.advance(60_000);
    await start(cut, cut.log);
    expect(await contents(cut.log)).toEqual(expectedContents);
    const account = await cut.log.readStream(`account-${SAMPLE_ACCOUNT_ID}`, NO_STREAM, 100);
    expect(account.filter(({ type }) => type === 'AccountOpened')).toHaveLength(1);
    expect(new Set((await expectedFeed(cut.log)).map(({ resource, recordId }) => `${resource} ${recordId}`)).size).toBe(
      expectedContents.length,
    );
    await close();
  }
});

test('a failure after the sample account was opened, and a repetition, do not lose its key', async () => {
  const { log, clock, identifiers } = await open();
  let failing = true;
  const appendEach: EventLog['appendEach'] = (many) => {
    if (failing && many.some(({ stream }) => stream.startsWith('topics-'))) throw new LogUnavailable('the log is away');
    return log.appendEach(many);
  };
  const flaky = { ...log, appendEach };
  const writer = createRecordWriter({ log: flaky, clock, identifiers, deadlineMs: 10_000 });
  const account = await fillNewLog(
    { log: flaky, clock, identifiers, randomBytes, writer },
    { sample: 'new', sampleKey: true },
    async (work) => work().catch(() => ((failing = false), work())),
  );
  expect(failing).toBe(false);
  expect(account?.key).toMatch(/^crs_/);
});

test('later starts leave edited or removed records unchanged, and add no sample to a log in use', async () => {
  const used = await open();
  const [first, second] = catalogueRecords();
  await used.writer.write([first!], {});
  await start(used, used.log);
  expect(await used.log.readStream(`account-${SAMPLE_ACCOUNT_ID}`, NO_STREAM, 1)).toEqual([]);
  await used.writer.write([{ op: 'remove', resource: second!.resource, id: second!.id }], {});
  const before = await used.log.head();
  await start(used, used.log);
  expect(await used.log.head()).toBe(before);
});

test('a later version of a seed replaces what a former version shipped, and no edit or removal', async () => {
  const { log, clock, identifiers, writer } = await open();
  const deps = { log, clock, identifiers, writer };
  const topics = taxonomyRecords().slice(0, 3) as Extract<RecordChange, { op: 'upsert' }>[];
  const named = (label: string) =>
    topics.map((topic) => ({ ...topic, content: { ...(topic.content as object), publicLabel: label } }));
  const digestOf = (topic: RecordChange & { content: object }) =>
    hash('sha256', canonicalJson({ id: topic.id, ...topic.content }), 'hex');
  await writeSeed(deps, { name: 'topics', version: 1 }, named('first'));
  await writer.write([named('edited')[1]!, { op: 'remove', resource: 'topics', id: topics[2]!.id }], {});
  const second = { name: 'topics', version: 2, former: new Set(named('first').map(digestOf)) };
  expect(await writeSeed(deps, second, named('second'))).toBe(1);
  expect(await writeSeed(deps, second, named('second'))).toBe(0);
  const labels = (await contents(log))
    .filter((line) => line.includes('publicLabel'))
    .map((line) => /"publicLabel":"(\w+)"/.exec(line.replaceAll('\\', ''))![1]);
  expect(new Set(labels)).toEqual(new Set(['edited', 'second']));
});

test('many processes that open the feed of an empty log at once give it one identity', async () => {
  server = await startTestDatabase();
  const logs = Array.from({ length: 5 }, () => openEventLog({ dsn: server!.url, statementTimeoutMs: 10_000 }));
  const clock = { now: () => 1, sleep: () => Promise.resolve() };
  const fillLock = createFillLock(server.url);
  const opened = await Promise.all(
    logs.map((log, nth) =>
      openFeed({ log, clock, identifiers: { next: () => `00000000-0000-4000-8000-00000000000${nth}` }, fillLock }),
    ),
  );
  expect(new Set(opened.map(({ id, position }) => `${id} ${position}`)).size).toBe(1);
  expect((await logs[0]!.readAll({ after: LOG_START, limit: 10 })).events).toHaveLength(1);
  await Promise.all(logs.map((log) => log.close()));
});

type Step = PromiseWithResolvers<void>;

test('a feed is not opened in an empty log that a restore fills, and is refused once the restore has begun', async () => {
  server = await startTestDatabase();
  const log = openEventLog({ dsn: server.url, statementTimeoutMs: 10_000 });
  const fillLock = createFillLock(server.url);
  const [blocked, waiting, ended] = Array.from({ length: 3 }, () => Promise.withResolvers<void>()) as [
    Step,
    Step,
    Step,
  ];
  const clock = { now: () => 1, sleep: async () => waiting.resolve() };
  const restoring = fillLock.tryRun(async () => {
    blocked.resolve();
    await waiting.promise;
    const data = {
      restoreId: RESTORE_ID,
      backupId: RESTORE_ID,
      sha256: '0'.repeat(64),
      events: 7,
      asCopy: false,
      revokeKeys: false,
    };
    await log.append({
      stream: restoreStream(RESTORE_ID),
      expectedRevision: NO_STREAM,
      events: [newEvent({ type: RESTORE_BEGUN, data: JSON.stringify(data) })],
    });
    await ended.promise;
  });
  await blocked.promise;
  expect(await fillLock.tryRun(async () => 'free')).toBeNull();
  await expect(openFeed({ log, clock, identifiers: randomIdentifiers, fillLock })).rejects.toThrow('has not ended');
  expect((await log.readAll({ after: LOG_START, limit: 10 })).events).toHaveLength(1);
  ended.resolve();
  await restoring;
  await log.close();
});

test('a log that begins with another event is refused by name', async () => {
  server = await startTestDatabase();
  const log = openEventLog({ dsn: server.url, statementTimeoutMs: 10_000 });
  await log.append({ stream: 'orders-1', expectedRevision: NO_STREAM, events: [newEvent({ type: 'OrderPlaced' })] });
  const opening = openedFeed(log);
  await expect(opening).rejects.toThrow(ForeignLogFound);
  await expect(opening).rejects.toThrow('OrderPlaced');
  await log.close();
});

test('the first complete sync removes every record of the sample, and one that failed removes none', async () => {
  const opened = await open();
  await start(opened, opened.log);
  const report = {
    client: 'x',
    read: {},
    appended: 1,
    unchanged: 0,
    removed: 0,
    rejected: [],
    skipped: [],
    degraded: [],
    position: null,
  };
  let failure: string | null = 'away';
  const connector = {
    sync: async () => ({ ...report, failure }),
    probe: async () => undefined,
    survey: () => expect.unreachable(),
    records: async () => [],
    checks: async () => [],
  };
  const { syncSource } = sources(
    { ...opened, settings: {}, stores: { sourceChecks: { put: async () => undefined } } } as unknown as Platform,
    Object.fromEntries(Object.keys(SOURCES).map((name) => [name, connector])) as unknown as Connectors,
    UNREAD_DOCUMENTS,
  );
  const countRemoved = async () => {
    const newest = await opened.log.readLast(sampleRemovals().map(({ resource, id }) => recordStream(resource, id)));
    return [...newest.values()].filter(({ type }) => type === RECORD_PUBLISHED).length;
  };
  const request = { client: 'x', options: {} };
  const whole = sampleRemovals().length;
  expect((await syncSource('legistar', request)).position).toBeNull();
  expect(await countRemoved()).toBe(whole);
  failure = null;
  expect((await syncSource('legistar', request)).position).toBe(await opened.log.head());
  expect(await countRemoved()).toBe(0);
  expect((await syncSource('legistar', request)).position).toBeNull();
});
