import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyProjection } from '../../src/processors/projector/compare-with-live.ts';
import { audit } from '../../projections/audit/projection.ts';
import { subscriptions } from '../../projections/subscriptions/projection.ts';
import { listAudit } from '../../queries/accounts/account-lists.ts';
import { untilTrue } from '../support/civic.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';
import { listFeeds, newFeed, pollFeed, revokeFeed } from '../support/subscription-requests.ts';

let served: ServedCivic;
let account: string;
let key: IssuedKey;
const live: string[] = [];

beforeAll(async () => {
  served = await serveNewCivic();
  account = await served.openAccount({ tier: 'ultra' });
  key = await served.issueKey(account);
  for (let round = 0; round < 12; round += 1) {
    const { id } = await newFeed(served, key.secret, `feed ${round}`);
    if (round % 3 === 0) await revokeFeed(served, key.secret, id);
    else live.push(id);
  }
});
afterAll(async () => served?.close());

const generationOf = async (name: string) =>
  (await served.civic.generations.list()).find(({ projection, state }) => projection === name && state === 'live')!
    .generation;

test.each([subscriptions, audit])('$name rebuilt from the log equals the live one, row by row', async (projection) => {
  const { folded, differences } = await verifyProjection(
    served.civic.projectorDependencies,
    projection,
    () => undefined,
    new AbortController().signal,
  );
  expect(folded).toBeGreaterThanOrEqual(16);
  expect(differences).toEqual([]);
});

test('readers see the same before, during and after the switch of a rebuild', async () => {
  const [listed, audited] = [await listFeeds(served, key.secret), await listAudit(served.civic.reads, account)];
  const before = new Map<string, number>();
  for (const projection of [subscriptions, audit]) {
    before.set(projection.name, await generationOf(projection.name));
    await served.civic.generations.create(projection, 'building', Date.now());
  }
  served.civic.startProjector().nudge();
  await untilTrue('both have switched', async () => {
    expect(await listFeeds(served, key.secret)).toEqual(listed);
    expect(await listAudit(served.civic.reads, account)).toEqual(audited);
    expect((await pollFeed(served, key.secret, live[0]!)).status).toBe(200);
    const switched = [...before].map(async ([name, generation]) => (await generationOf(name)) !== generation);
    return (await Promise.all(switched)).every(Boolean);
  });
  expect(await listFeeds(served, key.secret)).toEqual(listed);
  expect(await listAudit(served.civic.reads, account)).toEqual(audited);
  const { id } = await newFeed(served, key.secret, 'after the switch');
  expect((await pollFeed(served, key.secret, id)).status).toBe(200);
});

test('a long stream has a checkpoint, and decisions with it equal those without it', async () => {
  for (let round = 0; round < 60; round += 1) {
    const { id } = await newFeed(served, key.secret, `long ${round}`);
    await revokeFeed(served, key.secret, id);
  }
  const { transactor } = served.civic.projectorDependencies;
  const rows = async () =>
    (
      await transactor.transaction((transaction) =>
        transaction.query<{ decider: string; revision: number }>({
          text: 'select decider, revision from civic.decider_checkpoints order by decider',
          values: [],
        }),
      )
    ).rows;
  const [row] = await rows();
  expect(row!.decider).toBe('subscriptions');
  expect(row!.revision).toBeGreaterThanOrEqual(99);
  const listed = await listFeeds(served, key.secret);
  expect(
    (await served.ask('POST', '/subscriptions', key.secret, { body: { name: listed.items[0]!.name } })).status,
  ).toBe(200);
  await transactor.transaction((transaction) =>
    transaction.query({ text: 'delete from civic.decider_checkpoints', values: [] }),
  );
  expect(
    (await served.ask('POST', '/subscriptions', key.secret, { body: { name: listed.items[0]!.name } })).status,
  ).toBe(200);
  expect(await rows()).toHaveLength(1);
});
