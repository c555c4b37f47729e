import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { randomChanges, randomFrom, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { untilTrue } from '../support/civic.ts';
import { lasting, readFeed } from '../support/feed-reader.ts';
import { type KurrentPeer, startKurrentPeer } from '../support/kurrent-peer.ts';
import type { Environment, Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

/** One installation whose log begins in PostgreSQL, goes to a peer of KurrentDB, and comes back. */
let peer: KurrentPeer;
let installation: Installation;
let service: Service;
let key: string;
let onPeer: Environment;
/** The pages and cursors of customers before the copy. */
let pages: string;
let middle: string;

beforeAll(async () => {
  peer = await startKurrentPeer();
  onPeer = { EVENTSTORE_URL: peer.url };
  installation = await makeSharedInstallation('civic-copy-');
  service = await installation.start({ sample: 'on' });
  key = await installation.openAccount();
  await importing(randomChanges(randomFrom(testSeed()), 400, 150), {});
  const feed = await readFeed(service, key, 100);
  pages = lasting(feed);
  middle = feed[Math.floor(feed.length / 2)]!.meta.nextCursor;
});

afterAll(async () => {
  await service.stop();
  await installation.close();
  await peer.stop();
});

async function importing(changes: readonly RecordChange[], env: Environment): Promise<number> {
  const lines = changes.map(({ op, resource, id, ...rest }) =>
    JSON.stringify({ op, resource, id, ...('content' in rest ? { data: rest.content } : {}) }),
  );
  const { exitCode, stdout, stderr } = await installation.civicHere(['records', 'import', '-', '--json'], {
    input: `${lines.join('\n')}\n`,
    env,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return (JSON.parse(stdout) as { appended: number }).appended;
}
async function copying(to: string, env: Environment = {}) {
  const { exitCode, stdout, stderr } = await installation.civicHere(['log', 'copy', '--to', to, '--json'], { env });
  return { exitCode, stderr, moved: (exitCode === 0 ? JSON.parse(stdout) : null) as Record<string, unknown> | null };
}
const own = (): number => peer.store.records.filter(({ type }) => !type.startsWith('$')).length;
async function verified(env: Environment) {
  const { stdout } = await installation.civicHere(['projections', 'verify', '--all', '--json'], { env });
  return (JSON.parse(stdout) as { name: string; equal: boolean }[]).filter(({ equal }) => !equal);
}

test('a killed copy continues where it was, beside the running service, and does not switch', async () => {
  const killed = installation.run(['log', 'copy', '--to', peer.url]);
  await untilTrue('some events are copied', () => own() > 300);
  killed.kill('SIGKILL');
  await killed.ended;
  const before = own();
  const { exitCode, stderr, moved } = await copying(peer.url);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^warning: not switched yet: [^\n]*record_history[^\n]*\n$/);
  expect(moved).toMatchObject({ found: before, switched: false, digest: null });
  expect(own()).toBe((moved!['found'] as number) + (moved!['copied'] as number));
  expect(before).toBeLessThan(own());
});

test('with the service stopped it copies the rest, compares and switches; the old log is refused', async () => {
  const forgotten = await installation.start({ role: 'api' });
  await service.stop();
  await importing([upsert('documents', 70_000, 0)], {});
  const { exitCode, moved } = await copying(peer.url);
  expect(exitCode).toBe(0);
  expect(moved).toMatchObject({ copied: expect.any(Number) as number, switched: true, events: own(), heldBy: [] });
  expect(moved!['copied']).toBeGreaterThan(0);
  expect(moved!['digest']).toMatch(/^[0-9a-f]{64}$/);
  // A process that still runs: its appends to the old log are refused, not acknowledged and lost.
  expect((await forgotten.fetch('/api/v1/data/snapshots', { method: 'POST', key })).status).toBe(503);
  expect((await forgotten.stop()).exitCode).toBe(0);
  const refused = await installation.civicHere(['accounts', 'list']);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^civic: the read model \w+ has followed log [^\n]*\n$/);
});

test('read models continue where they were: the same pages and cursors, and nothing is folded again', async () => {
  service = await installation.start({ env: onPeer });
  const feed = await readFeed(service, key, 100);
  const now = lasting(feed);
  // The last page also has the one record that was imported later.
  expect(now.slice(0, pages.lastIndexOf('"next"') - 2)).toBe(pages.slice(0, pages.lastIndexOf('"next"') - 2));
  expect((await readFeed(service, key, 100, middle)).flatMap(({ data }) => data.items).at(-1)).toEqual(
    feed.at(-1)!.data.items.at(-1),
  );
  const { stdout } = await installation.civicHere(['projections', 'list', '--json'], { env: onPeer });
  for (const { lagSeconds, folded, name } of JSON.parse(stdout) as {
    name: string;
    lagSeconds: number;
    folded: number;
  }[]) {
    expect({ name, lagSeconds }).toEqual({ name, lagSeconds: 0 });
    if (name === 'record_history') expect(folded).toBeLessThan(own());
  }
  expect(await importing([upsert('documents', 80_000, 0)], onPeer)).toBe(1);
  expect(
    (await readFeed(service, key, 100, feed.at(-1)!.meta.nextCursor)).flatMap(({ data }) => data.items),
  ).toHaveLength(1);
  expect(await verified(onPeer)).toEqual([]);
});

test('a target with other content is refused, and so is the log in use', async () => {
  const other = await startKurrentPeer();
  try {
    const elsewhere = await makeSharedInstallation('civic-elsewhere-', { EVENTSTORE_URL: other.url });
    try {
      expect((await elsewhere.civicHere(['accounts', 'open', '--name', 'Another'])).exitCode).toBe(0);
    } finally {
      await elsewhere.close();
    }
    const before = other.store.records.length;
    expect(await copying(other.url, onPeer)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/has another log/) as string,
    });
    expect(other.store.records).toHaveLength(before);
    expect(await copying(peer.url, onPeer)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/already uses this log/) as string,
    });
    expect(await copying('somewhere', onPeer)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/allowed is postgresql/) as string,
    });
  } finally {
    await other.stop();
  }
});

test('the copy back accepts the existing prefix, and customers see no difference', async () => {
  const before = lasting(await readFeed(service, key, 100));
  await service.stop();
  const { exitCode, stderr, moved } = await copying('postgresql', onPeer);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(moved).toMatchObject({ switched: true, events: own() });
  // Only events after the move: one record and its consequences.
  expect(moved!['copied']).toBe(own() - (moved!['found'] as number));
  expect(moved!['copied']).toBeLessThan(20);
  service = await installation.start();
  expect(lasting(await readFeed(service, key, 100))).toBe(before);
  expect(await importing([upsert('documents', 90_000, 0)], {})).toBe(1);
  expect(await verified({})).toEqual([]);
});
