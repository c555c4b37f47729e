import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  copyTestDatabase,
  replaceTestDatabase,
  startTestDatabase,
  type TestDatabase,
} from '../support/embedded-database.ts';
import { type KurrentPeer, startKurrentPeer } from '../support/kurrent-peer.ts';
import { importTopics, readTopics, topicNames } from '../support/numbered-topics.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

let peer: KurrentPeer;
let database: TestDatabase;
let installation: Installation;
let service: Service;
let key: string;

async function begin(): Promise<void> {
  peer = await startKurrentPeer();
  database = await startTestDatabase();
  installation = makeInstallation('civic-lost-kurrentdb-', { DATABASE_URL: database.url, EVENTSTORE_URL: peer.url });
  key = await installation.openAccount();
  service = await installation.start();
  await importTopics(installation, 'kept', 100);
}

async function end(): Promise<void> {
  await service?.stop();
  await installation?.close();
  await database?.close();
  await peer?.stop();
}

/** The log after all other writers have ended. */
async function imageOfLog(): Promise<number> {
  await untilTrue('every read model has caught up', async () => (await healthOf()).pipeline.pendingWork === 0);
  return peer.store.records.length;
}

async function healthOf() {
  const answer = await service.fetch('/api/v1/data/health', { key });
  return ((await answer.json()) as { data: { status: string; pipeline: { pendingWork: number } } }).data;
}
const readyz = async (): Promise<number> => (await fetch(`${service.opsUrl}/readyz`)).status;
async function verified(): Promise<unknown> {
  const { stdout } = await installation.civicHere(['projections', 'verify', '--all', '--json']);
  return (JSON.parse(stdout) as { equal: boolean }[]).every(({ equal }) => equal);
}

describe('a log on KurrentDB that is restored alone, under a running service', () => {
  const cursors = { kept: '', lost: '' };

  beforeAll(async () => {
    await begin();
    cursors.kept = (await readTopics(service, key, '')).next;
    const image = await imageOfLog();
    await importTopics(installation, 'lost', 50);
    cursors.lost = (await readTopics(service, key, cursors.kept)).next;
    peer.setBack(image);
  });
  afterAll(end);

  test('is detected: data operations answer 503, health is unavailable and the process is not ready', async () => {
    await untilTrue(
      'data operations are refused',
      async () => (await readTopics(service, key, cursors.kept)).status === 503,
    );
    expect(await healthOf()).toMatchObject({ status: 'unavailable' });
    expect(await readyz()).toBe(503);
    for (const path of ['/api/v1/data/subscriptions', '/api/v1/data/changes']) {
      expect({ path, status: (await service.fetch(path, { key })).status }).toEqual({ path, status: 503 });
    }
    expect((await service.fetch('/api/v1/data/snapshots', { key, method: 'POST' })).status).toBe(503);
  });

  test('is still refused after another installation wrote more to it than the read models have read', async () => {
    const other = await startTestDatabase();
    const elsewhere = makeInstallation('civic-lost-elsewhere-', { DATABASE_URL: other.url, EVENTSTORE_URL: peer.url });
    try {
      await importTopics(elsewhere, 'other', 200);
      expect((await readTopics(service, key, cursors.kept)).status).toBe(503);
      const { stderr } = await service.stop();
      const errors = stderr.split('\n').filter((line) => line.startsWith('{"level":50'));
      expect(errors.filter((line) => line.includes('feed renew'))).toHaveLength(1);
      const again = await installation.civic(['projections', 'list']);
      expect(again.exitCode).toBe(1);
      expect(again.stderr).toMatch(
        /the log does not have event \S+ at \S+, which the read model \S+ has applied.+`civic feed renew/,
      );
    } finally {
      await elsewhere.close();
      await other.close();
    }
  });

  test('is served after feed renew: old cursors are answered 410, and the read models match the log', async () => {
    const { exitCode, stderr } = await installation.civicHere([
      'feed',
      'renew',
      '--reason',
      'an image of the log',
      '--yes',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    service = await installation.start();
    await untilTrue('it is ready', async () => (await readyz()) === 200);
    for (const cursor of [cursors.kept, cursors.lost])
      expect((await readTopics(service, key, cursor)).status).toBe(410);
    expect((await readTopics(service, key, '')).names.slice(-300)).toEqual([
      ...topicNames('kept', 100),
      ...topicNames('other', 200),
    ]);
    expect(await verified()).toBe(true);
    const reactors = JSON.parse((await installation.civicHere(['reactors', 'list', '--json'])).stdout) as {
      state: string;
    }[];
    expect(reactors.filter(({ state }) => state === 'paused')).toEqual([]);
  });
});

describe('a log on KurrentDB that is restored and has other events at the same positions at once', () => {
  beforeAll(begin);
  afterAll(end);

  test('is served only after feed renew, and no read model mixes both histories', async () => {
    const image = await imageOfLog();
    await importTopics(installation, 'lost', 50);
    const { next } = await readTopics(service, key, '');
    await imageOfLog();
    const lostRecords = peer.store.records.slice(image);
    peer.setBack(image);
    for (const { stream, revision, data, ...event } of lostRecords) {
      const other = Buffer.from(Buffer.from(data).toString().replaceAll('lost', 'mine'));
      peer.store.append(stream, revision - 1, [{ ...event, id: randomUUID(), data: other }]);
    }
    await untilTrue('data operations are refused', async () => (await readTopics(service, key, next)).status === 503);
    await service.stop();
    const { exitCode, stderr } = await installation.civicHere([
      'feed',
      'renew',
      '--reason',
      'an image of the log',
      '--yes',
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    service = await installation.start();
    await untilTrue('it is ready', async () => (await readyz()) === 200);
    expect((await readTopics(service, key, next)).status).toBe(410);
    expect((await readTopics(service, key, '')).names.slice(-150)).toEqual([
      ...topicNames('kept', 100),
      ...topicNames('mine', 50),
    ]);
    expect(await verified()).toBe(true);
  });
});

describe('read models that are restored alone, under a running service with its log on KurrentDB', () => {
  beforeAll(begin);
  afterAll(end);

  test('continue from their checkpoints, and a cursor of a lost position continues', async () => {
    const cursor = (await readTopics(service, key, '')).next;
    await imageOfLog();
    await service.stop();
    const image = await copyTestDatabase(database);
    service = await installation.start();
    await importTopics(installation, 'later', 50);
    const later = await readTopics(service, key, cursor);
    expect(later.names).toEqual(topicNames('later', 50));
    await replaceTestDatabase(database, image);
    await importTopics(installation, 'new', 30);
    await untilTrue(
      'the new changes appear',
      async () => (await readTopics(service, key, later.next)).names.length === 30,
    );
    expect((await readTopics(service, key, cursor)).names).toEqual([
      ...topicNames('later', 50),
      ...topicNames('new', 30),
    ]);
    await untilTrue('it is ready', async () => (await readyz()) === 200);
    expect(await verified()).toBe(true);
  });
});
