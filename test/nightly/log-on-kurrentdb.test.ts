import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { remove, upsert } from '../support/civic-records.ts';
import { bodyOf, lasting, readFeed } from '../support/feed-reader.ts';
import { type KurrentPeer, startKurrentPeer } from '../support/kurrent-peer.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/civic.ts';

/** The program with its log on a peer that speaks the wire protocol of KurrentDB, and its read models in PostgreSQL. */
let peer: KurrentPeer;
let installation: Installation;
let service: Service;
let key: string;

beforeAll(async () => {
  peer = await startKurrentPeer();
  installation = makeInstallation('civic-kurrentdb-', { EVENTSTORE_URL: peer.url });
  service = await installation.start({ sample: 'on' });
  key = await installation.openAccount();
});

afterAll(async () => {
  await service.stop();
  await installation.close();
  await peer.stop();
});

async function importing(changes: readonly RecordChange[]): Promise<Record<string, number>> {
  const lines = changes.map(({ op, resource, id, ...rest }) =>
    JSON.stringify({ op, resource, id, ...('content' in rest ? { data: rest.content } : {}) }),
  );
  const { exitCode, stdout, stderr } = await installation.civicHere(['records', 'import', '-', '--json'], {
    input: `${lines.join('\n')}\n`,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, number>;
}
const someOf = (from: number, count: number, variant = 0) =>
  Array.from({ length: count }, (_, n) => upsert('documents', from + n, variant));
async function json<Value>(...args: string[]): Promise<Value> {
  const { exitCode, stdout, stderr } = await installation.civicHere([...args, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Value;
}

test('PostgreSQL contains no event of the log, and KurrentDB contains every event', async () => {
  const types = new Set(peer.store.records.map(({ type }) => type));
  expect(types.has('FeedOpened')).toBe(true);
  expect(types.has('RecordPublished')).toBe(true);
  const status = await json<{ name: string; lagEvents: number | null; lagSeconds: number }[]>('projections', 'list');
  expect(status.map(({ name }) => name)).toContain('record_history');
});

test('an imported record is in the feed when the command returns, and a second import appends nothing', async () => {
  const before = (await readFeed(service, key, 500)).at(-1)!.meta.nextCursor;
  expect(await importing(someOf(0, 300))).toMatchObject({ appended: 300, unchanged: 0 });
  expect(await importing([...someOf(0, 300), ...someOf(0, 20, 1), remove('documents', 7)])).toMatchObject({
    appended: 21,
  });
  const items = (await readFeed(service, key, 100, before)).flatMap(({ data }) => data.items);
  expect(items).toHaveLength(321);
});

test('the changes since the boundary of a snapshot are exactly the later ones', async () => {
  const { data: snapshot } = await bodyOf<{ data: { boundaryCursor: string; counts: Record<string, number> } }>(
    await service.fetch('/api/v1/data/snapshots', { method: 'POST', key }),
  );
  expect(snapshot.counts['documents']).toBeGreaterThan(290);
  await importing(someOf(1000, 10));
  const items = (await readFeed(service, key, 3, snapshot.boundaryCursor)).flatMap(({ data }) => data.items);
  expect(items).toHaveLength(10);
});

test('a rebuild from the log gives every read model again row by row, and the same pages of the feed', async () => {
  const before = lasting(await readFeed(service, key, 100));
  await json('projections', 'rebuild', '--all');
  const verified = await json<{ name: string; equal: boolean }[]>('projections', 'verify', '--all');
  expect(verified.filter(({ equal }) => !equal)).toEqual([]);
  expect(lasting(await readFeed(service, key, 100))).toBe(before);
});

test('after an outage of the log nothing acknowledged is lost, and the service continues', async () => {
  const before = (await readFeed(service, key, 500)).at(-1)!.meta.nextCursor;
  await peer.way.goDown();
  // Reads continue without the log.
  await readFeed(service, key, 500);
  const { exitCode, stderr } = await installation.civicHere(['records', 'import', '-'], { input: '' });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^civic: the log could not be [^\n]*\n$/);
  await peer.way.comeBack();
  expect(await importing(someOf(2000, 40))).toMatchObject({ appended: 40 });
  await untilTrue('the feed has what was imported since', async () => {
    const items = (await readFeed(service, key, 500, before)).flatMap(({ data }) => data.items);
    return items.length === 40;
  });
  const ready = await fetch(`${service.opsUrl}/readyz`);
  expect(ready.status).toBe(200);
});

test('after kill -9 the next start continues with the same log', async () => {
  const before = lasting(await readFeed(service, key, 50));
  await service.kill9();
  service = await installation.start();
  expect(lasting(await readFeed(service, key, 50))).toBe(before);
  expect(await importing(someOf(3000, 5))).toMatchObject({ appended: 5 });
});

test('the same read models with another log are refused with one line, and that log is unchanged', async () => {
  const other = await startKurrentPeer();
  try {
    for (const env of [{ EVENTSTORE_URL: '' }, { EVENTSTORE_URL: other.url }]) {
      const { exitCode, stderr } = await installation.civicHere(['accounts', 'list'], { env });
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^civic: the read model \w+ has followed log [^\n]*\n$/);
    }
    expect(other.store.records.filter(({ type }) => !type.startsWith('$'))).toEqual([]);
  } finally {
    await other.stop();
  }
});
