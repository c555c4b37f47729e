import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rotateKey } from '../../commands/accounts/account-decider.ts';
import { accountStream } from '../../domain/streams.ts';
import { keySecretHash } from '../../domain/key-secret.ts';
import { findKey, listKeys } from '../../queries/accounts/account-lists.ts';
import { listFeedReaders } from '../../queries/operators/feed-readers.ts';
import { accounts } from '../../projections/accounts/projection.ts';
import { ACCOUNTS } from '../../projections/accounts/tables.ts';
import { createKeyUses } from '../../src/edge/admission/key-uses.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';

const HOUR_MS = 3_600_000;

let database: TestDatabase;
let served: ServedCivic;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url);
});
afterAll(async () => {
  await served?.close();
  await database?.close();
});

const iso = (time: number): string => new Date(time).toISOString();

async function rotated(
  accountId: string,
  keyId: string,
  forMs: number,
): Promise<{ readonly secret: string; readonly until: string }> {
  const until = iso(served.clock.now() + forMs);
  const rotation = { accountId, keyId, formerUntil: until, context: {}, deadline: served.clock.now() + 60_000 };
  const { secret, handled } = await rotateKey(served.civic, rotation);
  if (handled.kind !== 'appended') throw new Error(`the rotation was ${handled.kind}`);
  await served.civic.caughtUp(handled.position);
  return { secret, until };
}
const status = async (secret: string): Promise<number> => (await served.ask('GET', '/changes?limit=1', secret)).status;
const key = async (accountId: string, keyId: string) =>
  (await listKeys(served.civic.reads, accountId)).find((each) => each.keyId === keyId)!;
const lastUses = async (accountId: string, keyId: string) =>
  (await key(accountId, keyId)).secrets.map(({ lastUsedAt }) => lastUsedAt);

test('a rotated key keeps its subscriptions, and both secrets work until the announced time', async () => {
  const account = await served.openAccount();
  const { keyId, secret: former } = await served.issueKey(account);
  const created = await served.ask('POST', '/subscriptions', former, { body: { name: 'all' } });
  const { data } = (await created.json()) as { data: { id: string; keyId: string } };
  const issuedAt = iso(served.clock.now());
  const poll = async (secret: string) => (await served.ask('GET', `/subscriptions/${data.id}/changes`, secret)).status;

  served.clock.advance(1_000);
  const { secret, until } = await rotated(account, keyId, HOUR_MS);
  expect([await status(former), await status(secret), await poll(former), await poll(secret)]).toEqual([
    200, 200, 200, 200,
  ]);
  expect(await key(account, keyId)).toMatchObject({
    issuedAt,
    expiresAt: null,
    secrets: [
      { issuedAt, expiresAt: until },
      { issuedAt: iso(served.clock.now()), expiresAt: null },
    ],
  });
  const listed = (await (await served.ask('GET', '/subscriptions', secret)).json()) as {
    data: { items: { id: string }[]; activeCount: number };
  };
  expect([listed.data.items.map(({ id }) => id), listed.data.activeCount]).toEqual([[data.id], 1]);

  served.clock.advance(HOUR_MS - 1_000);
  expect([await status(former), await status(secret)]).toEqual([200, 200]);
  served.clock.advance(1_000);
  expect([await status(former), await status(secret), await poll(secret)]).toEqual([401, 200, 200]);
  const again = (await (await served.ask('GET', '/subscriptions', secret)).json()) as { data: { activeCount: number } };
  expect(again.data.activeCount).toBe(1);
});

test('a second rotation ends every former secret at its time, and a revoked key has none that works', async () => {
  const account = await served.openAccount();
  const { keyId, secret: first } = await served.issueKey(account);
  const { secret: second } = await rotated(account, keyId, 24 * HOUR_MS);
  const { secret: third } = await rotated(account, keyId, 1_000);
  expect([await status(first), await status(second), await status(third)]).toEqual([200, 200, 200]);
  served.clock.advance(1_000);
  expect([await status(first), await status(second), await status(third)]).toEqual([401, 401, 200]);
  const { secret: fourth } = await rotated(account, keyId, HOUR_MS);
  await served.command(account, { type: 'RevokeKey', keyId });
  expect([await status(third), await status(fourth)]).toEqual([401, 401]);
});

test('no secret of a key outlives the key', async () => {
  const account = await served.openAccount();
  const expiresAt = iso(served.clock.now() + HOUR_MS);
  const { keyId, secret: former } = await served.issueKey(account, { expiresAt });
  const { secret } = await rotated(account, keyId, 24 * HOUR_MS);
  expect((await key(account, keyId)).secrets.map((each) => each.expiresAt)).toEqual([expiresAt, expiresAt]);
  served.clock.advance(HOUR_MS);
  expect([await status(former), await status(secret)]).toEqual([401, 401]);
});

test('both secrets share one allowance', async () => {
  const account = await served.openAccount();
  const { keyId, secret: former } = await served.issueKey(account);
  const { secret } = await rotated(account, keyId, HOUR_MS);
  const remainingOf = async (one: string) =>
    Number(
      /"minute";r=(\d+)/.exec((await served.ask('GET', '/changes?limit=1', one)).headers.get('ratelimit') ?? '')?.[1],
    );
  const [before, after] = [await remainingOf(former), await remainingOf(secret)];
  expect(after).toBe(before - 1);
});

test('a label is shown, and an erasure of a former label does not bring it back', async () => {
  const account = await served.openAccount();
  const { keyId } = await served.issueKey(account);
  const relabel = (label: string) => served.command(account, { type: 'LabelKey', keyId, label });
  const erase = async (literal: string) => {
    const erasing = { path: null, literal, replacement: '[x]' };
    const erasure = {
      streams: [{ stream: accountStream(account) }],
      erasing,
      reason: 'other',
      by: 'test',
      dryRun: false,
    } as const;
    await served.civic.caughtUp((await served.civic.erasing.erase(erasure)).position!);
  };
  expect((await key(account, keyId)).label).toBeNull();
  await relabel('of Jane');
  await rotated(account, keyId, HOUR_MS);
  await relabel('of John');
  expect((await key(account, keyId)).label).toBe('of John');
  await erase('Jane');
  expect((await key(account, keyId)).label).toBe('of John');
  await erase('John');
  expect((await key(account, keyId)).label).toBe('of [x]');
});

test('a last use is stored for each secret, at most once an hour', async () => {
  const account = await served.openAccount();
  const { keyId, secret: former } = await served.issueKey(account);
  expect(await lastUses(account, keyId)).toEqual([null]);
  const { secret } = await rotated(account, keyId, 24 * HOUR_MS);
  const at = iso(served.clock.now());
  await status(former);
  await expect.poll(() => lastUses(account, keyId)).toEqual([at, null]);
  served.clock.advance(HOUR_MS - 1);
  await status(former);
  await status(secret);
  await expect.poll(() => lastUses(account, keyId)).toEqual([at, iso(served.clock.now())]);
  served.clock.advance(1);
  await status(former);
  await expect.poll(async () => (await lastUses(account, keyId))[0]).toBe(iso(served.clock.now()));
  expect((await key(account, keyId)).lastUsedAt).toBe(iso(served.clock.now()));

  const uses: (readonly [string, number])[] = [];
  const use = createKeyUses(
    async (...stored) => void uses.push(stored),
    () => undefined,
  );
  const hash = keySecretHash(secret);
  for (let minute = 0; minute < 180; minute += 1) use(hash, minute * 60_000);
  expect(uses.map(([, time]) => time)).toEqual([0, HOUR_MS, 2 * HOUR_MS]);
});

test('the last use and the last read of a secret or key are forgotten once it is dead, and only then, and no dead key is shown', async () => {
  const rows = async (text: string) => (await client.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const account = await served.openAccount();
  const [revoked, rotating, alive] = [
    await served.issueKey(account),
    await served.issueKey(account),
    await served.issueKey(account),
  ];
  const expiring = await served.issueKey(account, { expiresAt: iso(served.clock.now() + HOUR_MS) });
  const { secret } = await rotated(account, rotating.keyId, HOUR_MS);
  const hashes = [revoked.secret, rotating.secret, alive.secret, expiring.secret, secret].map(keySecretHash);
  const keyIds = [revoked, rotating, alive, expiring].map(({ keyId }) => keyId);
  const now = served.clock.now();
  await client.query('insert into civic.key_uses select unnest($1::text[]), $2', [hashes, now]);
  await client.query('insert into civic.feed_reads select unnest($1::uuid[]), $2', [keyIds, now]);
  const storedUses = async () => {
    await served.civic.forgetDead();
    const [uses, reads] = [
      await rows('select sha256 as id from civic.key_uses'),
      await rows('select key_id as id from civic.feed_reads'),
    ];
    return [hashes.map((each) => uses.includes(each)), keyIds.map((each) => reads.includes(each))];
  };
  expect(await storedUses()).toEqual([Array(5).fill(true), Array(4).fill(true)]);
  await served.command(account, { type: 'RevokeKey', keyId: revoked.keyId });
  const readerKeys = async () =>
    (await listFeedReaders(served.civic.reads, served.clock.now(), 100))
      .map(({ keyId }) => keyId)
      .filter((id) => keyIds.includes(id))
      .toSorted();
  expect(await readerKeys()).toEqual(keyIds.slice(1).toSorted());
  served.clock.advance(HOUR_MS);
  expect(await readerKeys()).toEqual(keyIds.slice(1, 3).toSorted());
  expect(await storedUses()).toEqual([
    [false, false, true, false, true],
    [false, true, true, false],
  ]);
  served.clock.advance(61 * 24 * HOUR_MS);
  expect((await storedUses())[1]).toEqual([false, false, false, false]);
  await client.end();
});

test('a rotation while a new version of the read model is built: the former secret works until the switch, then the new one', async () => {
  const account = await served.openAccount();
  const { keyId, secret: former } = await served.issueKey(account);
  expect(await status(former)).toBe(200);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  // The state after the start of a new version: no process folds the live generation, which is older, and its successor
  // is blocked.
  await client.query('begin');
  await client.query('lock table civic.generations in share row exclusive mode');
  await client.query(
    "update civic.generations set version = version - 1, token = token + 1, owner = null where projection = 'accounts' and state = 'live'",
  );
  const formerUntil = iso(served.clock.now() + 1_000);
  const rotation = { accountId: account, keyId, formerUntil, context: {}, deadline: served.clock.now() + 60_000 };
  const { secret, handled } = await rotateKey(served.civic, rotation);
  served.clock.advance(2_000);
  expect([handled.kind, await status(former), await status(secret)]).toEqual(['appended', 200, 401]);
  await client.query('commit');
  await client.end();
  await expect.poll(() => status(secret), { timeout: 20_000 }).toBe(200);
  expect(await status(former)).toBe(401);
  const live = (await served.civic.generations.list()).filter(
    ({ projection, state }) => projection === 'accounts' && state === 'live',
  );
  expect(live.map(({ version }) => version)).toEqual([accounts.version]);
});

test('requests and commands read only those columns of keys that version 4 of the read model had', async () => {
  const account = await served.openAccount();
  const { keyId, secret } = await served.issueKey(account);
  const before = await key(account, keyId);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const keys = ACCOUNTS.at(
    await served.civic.generations
      .list()
      .then((rows) => rows.find(({ projection }) => projection === 'accounts')!.generation),
  ).keys;
  const added = ['key_issued_at', 'key_expires_at', 'is_current', 'label', 'label_event'];
  await client.query(`alter table ${keys} ${added.map((column) => `drop column ${column}`).join(', ')}`);
  await client.end();
  expect(await status(secret)).toBe(200);
  expect((await served.ask('GET', '/subscriptions', secret)).status).toBe(200);
  const { issuedAt } = before;
  expect(await key(account, keyId)).toMatchObject({
    issuedAt,
    expiresAt: null,
    label: null,
    secrets: [{ issuedAt, expiresAt: null }],
  });
  expect(await findKey(served.civic.reads, keyId)).toMatchObject({ accountId: account, label: null, revokedAt: null });
});
