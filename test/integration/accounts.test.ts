import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import { type Database, openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { accounts } from '../../projections/accounts/projection.ts';
import { createChargeRequest } from '../../src/edge/admission/charge-request.ts';
import { findKey, listAccounts, listKeys } from '../../queries/accounts/account-lists.ts';
import { BUILT_IN_PLANS } from '../../src/edge/admission/plans.ts';
import type { AccountEvent } from '../../domain/events/account-events.ts';
import type { Position, StoredEvent } from '../../domain/ports/event-log.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { accountStream } from '../../domain/streams.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { foldInto } from '../support/projection-spec.ts';

let server: TestDatabase;
let database: Database;
let reads: LiveReads;
let generation: number;
let other: number;

beforeAll(async () => {
  server = await startTestDatabase();
  database = await openDatabase({ dsn: server.url, statementTimeoutMs: 5_000 });
  const store = createGenerationStore(database.transactor);
  generation = (await store.create(accounts, 'live', 0)).generation;
  other = (await store.create(accounts, 'scratch', 0)).generation;
  reads = createLiveReads(database.read);
});
afterAll(async () => {
  await database.close();
  await server.close();
});

let position = 0;
const stored = (accountId: string, event: AccountEvent, time: number): StoredEvent => ({
  position: String((position += 1)).padStart(16, '0') as Position,
  stream: accountStream(accountId),
  revision: position,
  id: randomUUID(),
  type: event.type,
  schemaVersion: 1,
  data: JSON.stringify(event.data),
  metadata: '{}',
  time,
});

const fold = (events: readonly StoredEvent[], into: number) => foldInto(database, accounts, into, events);

const ceiling = { sustained: { requests: 1000, seconds: 60 }, burst: { requests: 100, seconds: 1 } };
const rules = { plans: BUILT_IN_PLANS, ceilings: { received: ceiling, handled: ceiling }, billingEnforced: true };
const identityOf = async (sha256: string) => (await createChargeRequest(reads, rules)(sha256, 1_000))?.identity ?? null;

const hash = (digit: string) => digit.repeat(64);
const opened: AccountEvent = {
  type: 'AccountOpened',
  data: { name: 'Clerk of Wise', channel: 'unset', tier: 'none', paidUntil: null },
};
const issued = (keyId: string, sha256: string): AccountEvent => ({
  type: 'KeyIssued',
  data: { keyId, sha256, scopes: ['civic:read', 'civic:export'], expiresAt: '2026-06-01T00:00:00.000Z' },
});

const paymentSettled = (settledAt: string): AccountEvent => ({
  type: 'AccountPaymentSettled',
  data: {
    paymentId: randomUUID(),
    amount: '10000',
    requestHash: hash('1'),
    resultHash: hash('2'),
    transaction: `0x${hash('3')}`,
    settledAt,
  },
});

test('events in batches of any size leave the same tables, and the tables match the events', async () => {
  const [accountId, neighbor] = [randomUUID(), randomUUID()];
  const [keyId, revokedKeyId] = [randomUUID(), randomUUID()];
  const history = [
    stored(accountId, opened, 1_000),
    stored(neighbor, { ...opened, data: { ...opened.data, name: 'Neighbor' } }, 1_500),
    stored(accountId, issued(keyId, hash('a')), 2_000),
    stored(accountId, issued(revokedKeyId, hash('b')), 2_500),
    stored(
      accountId,
      { type: 'AccountPeriodSet', data: { tier: 'ultra', paidUntil: '2026-03-01T00:00:00.000Z' } },
      3_000,
    ),
    stored(neighbor, { type: 'AccountSuspended', data: {} }, 3_500),
    stored(
      accountId,
      { type: 'AccountPeriodSet', data: { tier: 'pro', paidUntil: '2026-04-01T00:00:00.000Z' } },
      4_000,
    ),
    stored(accountId, { type: 'AccountPaymentConfirmed', data: { paidAt: '2026-01-01T00:00:00.000Z' } }, 4_500),
    // Delivered late and out of order.
    stored(accountId, paymentSettled('2025-12-31T00:00:00.000Z'), 4_600),
    stored(neighbor, paymentSettled('2026-01-05T00:00:00.000Z'), 4_700),
    stored(neighbor, paymentSettled('2026-01-04T00:00:00.000Z'), 4_800),
    stored(accountId, { type: 'AccountChannelSet', data: { channel: 'subscription' } }, 4_600),
    stored(accountId, { type: 'AccountChannelSet', data: { channel: 'payg' } }, 4_700),
    stored(accountId, { type: 'AccountSuspended', data: {} }, 5_000),
    stored(accountId, { type: 'AccountResumed', data: {} }, 5_500),
    stored(accountId, { type: 'KeyRevoked', data: { keyId: revokedKeyId } }, 6_000),
  ];
  await fold(history, generation);
  for (const event of history) await fold([event], other);
  for (const difference of accounts.differences(generation, other, 'rows'))
    expect(await database.read.rows(difference)).toEqual([]);

  expect(await identityOf(hash('a'))).toEqual({
    keyId,
    accountId,
    scopes: ['civic:read', 'civic:export'],
    expiresAt: Date.parse('2026-06-01T00:00:00.000Z'),
    revokedAt: null,
    accountStatus: 'active',
    channel: 'payg',
    tier: 'pro',
    paidUntil: Date.parse('2026-04-01T00:00:00.000Z'),
    paidAt: Date.parse('2026-01-01T00:00:00.000Z'),
  });
  expect(await identityOf(hash('b'))).toMatchObject({ keyId: revokedKeyId, revokedAt: 6_000 });
  expect(await identityOf(hash('c'))).toBeNull();

  expect(await listAccounts(reads)).toEqual([
    {
      accountId,
      name: 'Clerk of Wise',
      status: 'active',
      channel: 'payg',
      tier: 'pro',
      paidUntil: '2026-04-01T00:00:00.000Z',
      paidAt: '2026-01-01T00:00:00.000Z',
      openedAt: '1970-01-01T00:00:01.000Z',
    },
    expect.objectContaining({
      accountId: neighbor,
      status: 'suspended',
      paidUntil: null,
      paidAt: '2026-01-05T00:00:00.000Z',
    }),
  ]);
  const keys = await listKeys(reads, accountId);
  expect(keys.map(({ keyId: id, revokedAt }) => [id, revokedAt])).toEqual([
    [keyId, null],
    [revokedKeyId, '1970-01-01T00:00:06.000Z'],
  ]);
  expect(Object.keys(keys[0]!)).not.toContain('sha256');
  expect(await findKey(reads, keyId)).toEqual(keys[0]);
  expect(await findKey(reads, randomUUID())).toBeNull();
});

test('the read model refuses two keys with one hash', async () => {
  const accountId = randomUUID();
  const events = [
    stored(accountId, opened, 1),
    stored(accountId, issued(randomUUID(), hash('d')), 2),
    stored(accountId, issued(randomUUID(), hash('d')), 3),
  ];
  await expect(fold(events, generation)).rejects.toThrow('unique');
});

test('a difference between two generations is detected', async () => {
  await fold([stored(randomUUID(), opened, 9)], other);
  const differences = await Promise.all(
    accounts.differences(generation, other, 'rows').map((statement) => database.read.rows(statement)),
  );
  expect(differences.flat()).toHaveLength(1);
});
