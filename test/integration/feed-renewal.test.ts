import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeFeedCursor, encodeFeedCursor, encodeSnapshotPageCursor, type FeedBinding } from '../../domain/cursor.ts';
import { archiveOf } from '../support/archives.ts';
import { randomChanges, randomFrom, recordId, remove, SOME_RESOURCES, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { startKurrentPeer } from '../support/kurrent-peer.ts';
import { onServer } from '../support/on-server.ts';
import { restoreInto } from '../support/restoring.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';
import { type Environment, type Installation, makeInstallation } from '../support/service.ts';
import { newFeed, pollFeed } from '../support/subscription-requests.ts';

const random = randomFrom(testSeed());
const databases: TestDatabase[] = [];
let installation: Installation;

async function newDatabase(): Promise<string> {
  const database = await startTestDatabase();
  databases.push(database);
  return database.url;
}
const civic = (args: readonly string[], env: Environment) => installation.civicHere([...args, '--json'], { env });
async function write(served: ServedCivic, changes: ReturnType<typeof randomChanges>): Promise<void> {
  await served.civic.writer.write(changes, {});
  await served.civic.caughtUp(await served.civic.log.head());
}
async function statusOf(answer: Promise<Response>): Promise<number | string> {
  const response = await answer;
  if (response.status === 200) return 200;
  return `${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`;
}
const EXPIRED = '410 cursor_expired';
const MISSING = '404 not_found';

interface Snapshot {
  readonly snapshotId: string;
  readonly boundaryCursor: string;
}
const snapshotOf = async (served: ServedCivic, key: string): Promise<Snapshot> =>
  ((await (await served.ask('POST', '/snapshots', key)).json()) as { data: Snapshot }).data;

beforeAll(() => {
  installation = makeInstallation('civic-renewal-');
});
afterAll(async () => {
  await installation.close();
  for (const database of databases) await database.close();
});

describe('after a restore of an older state', () => {
  let old: ServedCivic;
  let restored: ServedCivic;
  let key: string;
  let feedId: string;
  let lastPosition: number;
  let before: { readonly snapshot: Snapshot; readonly pageCursor: string; readonly feed: string };
  let lostState: { readonly snapshot: Snapshot; readonly feed: string };
  let previousFeedId: string;
  const mirror = () => join(installation.folder, 'mirror');
  const replicate = async (served: ServedCivic) => {
    const { exitCode, stdout, stderr } = await civic(
      ['replicate', '--base-url', served.baseUrl, '--key', key, '--to', mirror(), '--verify'],
      {},
    );
    return { exitCode, stderr, output: (exitCode === 0 ? JSON.parse(stdout) : null) as Record<string, unknown> | null };
  };

  let first: Awaited<ReturnType<typeof replicate>>;

  beforeAll(async () => {
    old = await serveCivic(await newDatabase());
    key = (await old.issueKey(await old.openAccount())).secret;
    await write(old, [...randomChanges(random, 300, 80), upsert('topics', 500, 1)]);
    const snapshot = await snapshotOf(old, key);
    const page = (await (await old.ask('GET', `/snapshots/${snapshot.snapshotId}/topics?limit=2`, key)).json()) as {
      meta: { nextCursor: string };
    };
    before = { snapshot, pageCursor: page.meta.nextCursor, feed: (await newFeed(old, key, 'before')).id };
    const archive = await archiveOf(old.civic.log, old.civic.workingRows);
    await write(old, [remove('topics', 500), upsert('topics', 501, 1), ...randomChanges(random, 120, 80)]);
    lostState = { snapshot: await snapshotOf(old, key), feed: (await newFeed(old, key, 'lost')).id };
    first = await replicate(old);
    const head = decodeFeedCursor(lostState.snapshot.boundaryCursor);
    if (typeof head === 'string') throw new Error(head);
    ({ feedId, position: lastPosition } = head);

    const target = await newDatabase();
    ({ previousFeedId } = await restoreInto(archive, { DATABASE_URL: target }));
    restored = await serveCivic(target);
    await restored.civic.caughtUp(await restored.civic.log.head());
  });
  afterAll(async () => {
    await restored?.close();
    await old?.close();
  });

  test('no cursor of the old feed is answered, before and after new changes take its positions', async () => {
    expect(previousFeedId).toBe(feedId);
    const bindings: readonly FeedBinding[] = ['nothing', 'all', ...SOME_RESOURCES];
    const ask = async (position: number, binding: FeedBinding) => {
      const filter = binding === 'nothing' || binding === 'all' ? '' : `&resource=${binding}`;
      return statusOf(
        restored.ask(
          'GET',
          `/changes?limit=5${filter}&cursor=${encodeFeedCursor({ feedId, position, fingerprint: null, binding })}`,
          key,
        ),
      );
    };
    for (let round = 0; round < 2; round += 1) {
      for (const binding of bindings) {
        for (let position = 0; position <= lastPosition + 5; position += 1 + Math.floor(random() * 60)) {
          expect([position, binding, await ask(position, binding)]).toEqual([position, binding, EXPIRED]);
        }
        expect(await ask(lastPosition, binding)).toBe(EXPIRED);
      }
      await write(restored, [upsert('topics', 502, 1), ...randomChanges(random, 200, 80)]);
    }
    expect(await statusOf(restored.ask('GET', '/changes?limit=5', key))).toBe(200);
  });

  test('no page of an old snapshot is returned, and none of a new one for an old cursor', async () => {
    const pages = (id: string, cursor?: string) =>
      statusOf(
        restored.ask('GET', `/snapshots/${id}/topics?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`, key),
      );
    const { snapshotId } = before.snapshot;
    expect([await pages(snapshotId), await pages(snapshotId, before.pageCursor)]).toEqual([EXPIRED, EXPIRED]);
    expect(await pages(lostState.snapshot.snapshotId)).toBe(MISSING);
    const snapshot = await snapshotOf(restored, key);
    expect(await pages(snapshot.snapshotId)).toBe(200);
    const forged = encodeSnapshotPageCursor({
      feedId,
      snapshotId: snapshot.snapshotId,
      resource: 'topics',
      position: 1,
    });
    expect(await pages(snapshot.snapshotId, forged)).toBe(EXPIRED);
    for (const cursor of [before.snapshot, lostState.snapshot].map(({ boundaryCursor }) => boundaryCursor)) {
      expect(await statusOf(restored.ask('GET', `/changes?cursor=${cursor}`, key))).toBe(EXPIRED);
    }
  });

  test('a subscription continues from the boundary of a new snapshot only; a lost one is unknown', async () => {
    const poll = (id: string, query = '') => statusOf(pollFeed(restored, key, id, query));
    expect(await poll(before.feed)).toBe(EXPIRED);
    expect(await poll(before.feed, `?cursor=${before.snapshot.boundaryCursor}`)).toBe(EXPIRED);
    expect(await poll(before.feed, `?cursor=${(await snapshotOf(restored, key)).boundaryCursor}`)).toBe(200);
    expect(await poll(lostState.feed)).toBe(MISSING);
  });

  test('a cursor of the coverage stays valid, because it has no feed position', async () => {
    const coverage = async (served: ServedCivic, cursor: string) =>
      (await (await fetch(`${served.baseUrl}/api/v1/public/coverage?limit=3${cursor}`)).json()) as {
        meta: { pagination: { nextCursor: string } };
      };
    const { nextCursor } = (await coverage(old, '')).meta.pagination;
    expect(await coverage(restored, `&cursor=${nextCursor}`)).toEqual(await coverage(old, `&cursor=${nextCursor}`));
  });

  test('a mirror recovers by itself: its digests are equal, and it has no lost record', async () => {
    expect(first.output).toMatchObject({ snapshots: 1, verified: true });
    const ofLostTime = recordId('topics', 501);
    expect(filesOf(mirror())).toContain(ofLostTime);
    const { exitCode, stderr, output } = await replicate(restored);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0, output: { snapshots: 1, verified: true } });
    expect(stderr).toMatch(/belongs to another feed .* starting again from a snapshot/);
    expect(filesOf(mirror())).not.toContain(ofLostTime);
    expect((await replicate(restored)).output).toMatchObject({ snapshots: 0, changes: 0, verified: true });
  });
});

const filesOf = (folder: string): string =>
  readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
async function startOn(env: Environment) {
  const { exitCode, stderr } = await civic(['accounts', 'list'], env);
  return { exitCode, stderr };
}

describe('a database that was restored or moved by other tools', () => {
  test('one from a dump is refused at the start, with the two commands to choose from', async () => {
    const from = await newDatabase();
    const first = await serveCivic(from);
    const key = (await first.issueKey(await first.openAccount())).secret;
    await write(first, randomChanges(random, 30, 10));
    const { boundaryCursor } = await snapshotOf(first, key);
    await first.close();
    const copies: string[] = [];
    for (const _ of ['moved', 'restored']) {
      const copy = await newDatabase();
      const name = copy.slice(copy.lastIndexOf('/') + 1);
      await onServer(from.replace(/[^/]+$/, 'postgres'), `drop database ${name}`);
      await onServer(
        from.replace(/[^/]+$/, 'postgres'),
        `create database ${name} template ${from.slice(from.lastIndexOf('/') + 1)}`,
      );
      copies.push(copy);
    }
    for (const copy of copies) {
      const { exitCode, stderr } = await startOn({ DATABASE_URL: copy });
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(
        /^civic: this database was brought here from another server or name [^\n]+ `civic feed renew --reason TEXT`[^\n]+ `civic feed keep`\n$/,
      );
    }
    const [moved, restored] = copies as [string, string];
    expect((await civic(['feed', 'keep'], { DATABASE_URL: moved })).exitCode).toBe(0);
    expect(
      (await civic(['feed', 'renew', '--reason', 'the dump of last night', '--yes'], { DATABASE_URL: restored }))
        .exitCode,
    ).toBe(0);
    for (const [copy, status] of [
      [moved, 200],
      [restored, EXPIRED],
    ] as const) {
      const served = await serveCivic(copy);
      await served.civic.caughtUp(await served.civic.log.head());
      expect(await statusOf(served.ask('GET', `/changes?cursor=${boundaryCursor}`, key))).toBe(status);
      await served.close();
    }
    // This state follows a point-in-time recovery: the start logs it and continues.
    await onServer(moved, `update civic.installation set timeline = '000000FF'`);
    const warned = await startOn({ DATABASE_URL: moved });
    expect(warned).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/recovered to a point in time or promoted.*civic feed renew/) as string,
    });
    expect((await civic(['feed', 'keep'], { DATABASE_URL: moved })).exitCode).toBe(0);
    expect(await startOn({ DATABASE_URL: moved })).toEqual({ exitCode: 0, stderr: '' });
    // A renewal that was killed.
    await onServer(moved, `update civic.installation set renewing = 'a reason'`);
    expect((await startOn({ DATABASE_URL: moved })).stderr).toMatch(
      /a renewal of the feed's identity \(a reason\) did not finish/,
    );
    expect((await civic(['feed', 'keep'], { DATABASE_URL: moved })).exitCode).toBe(1);
    expect((await civic(['feed', 'renew', '--reason', 'again', '--yes'], { DATABASE_URL: moved })).exitCode).toBe(0);
    expect(await startOn({ DATABASE_URL: moved })).toEqual({ exitCode: 0, stderr: '' });
  });

  test('a log that was restored under its read models is refused; a renewal rebuilds them', async () => {
    const peer = await startKurrentPeer();
    try {
      const env = { DATABASE_URL: await newDatabase(), EVENTSTORE_URL: peer.url };
      const before = await serveCivic(env.DATABASE_URL, { EVENTSTORE_URL: peer.url });
      const key = (await before.issueKey(await before.openAccount())).secret;
      await write(before, randomChanges(random, 60, 20));
      const image = peer.store.records.length;
      await write(before, [upsert('topics', 900, 1), ...randomChanges(random, 40, 20)]);
      const { boundaryCursor } = await snapshotOf(before, key);
      await before.close();
      peer.setBack(image);
      const refused = await startOn(env);
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toMatch(
        /^civic: the log ends at \S+, and the read model \S+ has seen it up to [^\n]+: the log was set back[^\n]+`civic feed renew --reason TEXT`[^\n]+\n$/,
      );
      const renewed = await civic(['feed', 'renew', '--reason', 'an image of the log', '--yes'], env);
      expect(JSON.parse(renewed.stdout)).toMatchObject({
        rebuilt: expect.arrayContaining(['record_history']) as string[],
      });
      const after = await serveCivic(env.DATABASE_URL, { EVENTSTORE_URL: peer.url });
      try {
        await after.civic.caughtUp(await after.civic.log.head());
        expect(await statusOf(after.ask('GET', `/changes?cursor=${boundaryCursor}`, key))).toBe(EXPIRED);
        const fresh = await snapshotOf(after, key);
        await write(after, [upsert('topics', 901, 2)]);
        expect(await statusOf(after.ask('GET', `/changes?cursor=${fresh.boundaryCursor}`, key))).toBe(200);
      } finally {
        await after.close();
      }
      expect((await civic(['projections', 'verify', '--all'], env)).exitCode).toBe(0);
    } finally {
      await peer.stop();
    }
  });

  test('working rows of another log are refused also without a read model', async () => {
    const url = await newDatabase();
    expect((await civic(['accounts', 'open', '--name', 'Acme'], { DATABASE_URL: url })).exitCode).toBe(0);
    await onServer(url, `update civic.generations set log_id = null`);
    const peer = await startKurrentPeer();
    try {
      expect((await startOn({ DATABASE_URL: url, EVENTSTORE_URL: peer.url })).stderr).toMatch(
        /this database belongs to log \S+, and the log is/,
      );
    } finally {
      await peer.stop();
    }
  });
});
