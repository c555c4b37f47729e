import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readFeedSubscriptionChanges } from '../../contract/read-feed-subscription-changes.ts';
import { decodeFeedCursor, encodeFeedCursor, encodeSnapshotPageCursor, type FeedCursor } from '../../domain/cursor.ts';
import { DAY_MS } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';
import { newFeed, pollFeed, revokeFeed } from '../support/subscription-requests.ts';

const RETENTION_MS = 30 * DAY_MS;

let served: ServedCivic;
let account: string;
let key: IssuedKey;
let variant = 0;

beforeAll(async () => {
  served = await serveNewCivic();
});
afterAll(async () => served?.close());
beforeEach(async () => {
  account = await served.openAccount({ paidUntil: new Date(served.clock.now() + 400 * DAY_MS).toISOString() });
  key = await served.issueKey(account);
});

/** Changes one record of a resource; resolves when the feed contains the change. */
async function change(resource: 'topics' | 'documents') {
  variant += 1;
  await served.civic.writer.write([upsert(resource, 1, variant)], {});
  await served.civic.caughtUp(await served.civic.log.head());
}
async function page(id: string, query = '', by = key) {
  const response = await pollFeed(served, by.secret, id, query);
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toMatchObject({ status: 200 });
  expect(response.headers.get('cache-control')).toBe('no-store');
  return readFeedSubscriptionChanges.success.schema.parse(body);
}
const refused = async (id: string, query: string, status: number, code: string, by = key) =>
  expectRefusal(await pollFeed(served, by.secret, id, query), status, code);
const positionAt = (cursor: string) => (decodeFeedCursor(cursor) as FeedCursor).position;
async function snapshotCursor() {
  const response = await served.ask('POST', '/snapshots', key.secret);
  return ((await response.json()) as { data: { boundaryCursor: string } }).data.boundaryCursor;
}

describe('a poll', () => {
  test('without a cursor starts at the creation of the subscription every time: nothing is acknowledged', async () => {
    await change('topics');
    const { id, startCursor } = await newFeed(served, key.secret, 'all');
    const empty = await page(id);
    expect(empty).toMatchObject({ data: { items: [] }, meta: { nextCursor: startCursor, hasMore: false } });
    await change('documents');
    await change('topics');
    for (let time = 0; time < 2; time += 1) {
      const { data, meta } = await page(id);
      expect(data.items.map(({ resource }) => resource)).toEqual(['documents', 'topics']);
      expect([positionAt(meta.nextCursor), meta.hasMore]).toEqual([positionAt(startCursor) + 2, false]);
      expect(data.items.at(-1)!.cursor).toBe(meta.nextCursor);
    }
  });

  test('continues from the cursor item by item, and an empty page still moves to the high-water mark', async () => {
    const { id } = await newFeed(served, key.secret, 'topics', 'topics');
    for (const resource of ['topics', 'documents', 'topics', 'documents'] as const) await change(resource);
    const first = await page(id, '?limit=1');
    expect(first.data.items).toHaveLength(1);
    expect(first.meta.hasMore).toBe(true);
    const second = await page(id, `?limit=1&cursor=${first.meta.nextCursor}`);
    expect(second.data.items).toHaveLength(1);
    expect(second.meta.hasMore).toBe(false);
    expect(positionAt(second.meta.nextCursor)).toBe(positionAt(second.data.items[0]!.cursor) + 1);
    await change('documents');
    const third = await page(id, `?cursor=${second.meta.nextCursor}`);
    expect(third.data.items).toEqual([]);
    expect(positionAt(third.meta.nextCursor)).toBe(positionAt(second.meta.nextCursor) + 1);
  });

  test('returns only the resource of the subscription, as the change feed with that filter does', async () => {
    const { id, startCursor } = await newFeed(served, key.secret, 'documents', 'documents');
    for (const resource of ['topics', 'documents', 'documents'] as const) await change(resource);
    const text = await (await pollFeed(served, key.secret, id)).text();
    const feed = await served.ask('GET', `/changes?resource=documents&cursor=${startCursor}`, key.secret);
    expect(text).toBe(await feed.text());
    expect((JSON.parse(text) as { data: { items: object[] } }).data.items).toHaveLength(2);
  });

  test('clamps its limit to 500 and refuses one below 1', async () => {
    const { id } = await newFeed(served, key.secret, 'a');
    for (const limit of ['1', '500', '501', '9'.repeat(40)]) await page(id, `?limit=${limit}`);
    for (const limit of ['0', '-1', '', '1.5', 'x']) await refused(id, `?limit=${limit}`, 400, 'invalid_parameter');
    await served.civic.writer.write(
      Array.from({ length: 520 }, (_, number) => upsert('stream_records', number, (variant += 1))),
      {},
    );
    await served.civic.caughtUp(await served.civic.log.head());
    expect((await page(id, '?limit=9999')).data.items).toHaveLength(500);
    expect((await page(id)).data.items).toHaveLength(100);
  });
});

describe('the cursor', () => {
  test('of another filter is 400, and one without a filter is accepted', async () => {
    const all = await newFeed(served, key.secret, 'all');
    const topics = await newFeed(served, key.secret, 'topics', 'topics');
    const { feedId, position } = decodeFeedCursor(all.startCursor) as FeedCursor;
    const bound = (binding: FeedCursor['binding']) =>
      encodeFeedCursor({ feedId, position, fingerprint: null, binding });
    for (const binding of ['topics', 'meetings'] as const)
      await refused(all.id, `?cursor=${bound(binding)}`, 400, 'invalid_parameter');
    for (const binding of ['all', 'meetings'] as const)
      await refused(topics.id, `?cursor=${bound(binding)}`, 400, 'invalid_parameter');
    for (const { id } of [all, topics]) {
      await page(id, `?cursor=${bound('nothing')}`);
      const { meta } = await page(id, `?cursor=${await snapshotCursor()}`);
      await page(id, `?cursor=${meta.nextCursor}`);
    }
    await page(all.id, `?cursor=${bound('all')}`);
    await page(topics.id, `?cursor=${bound('topics')}`);
  });

  test('of another subscription with the same filter keeps its position, also of another key', async () => {
    const second = await served.issueKey(account);
    const feed = await newFeed(served, key.secret, 'old', 'topics');
    await change('topics');
    const replacement = await newFeed(served, second.secret, 'new', 'topics');
    expect((await page(replacement.id, '', second)).data.items).toEqual([]);
    expect((await page(replacement.id, `?cursor=${feed.startCursor}`, second)).data.items).toHaveLength(1);
  });

  test('that does not decode, or is of another kind, is 400', async () => {
    const { id, startCursor } = await newFeed(served, key.secret, 'a', 'topics');
    const { feedId, position } = decodeFeedCursor(startCursor) as FeedCursor;
    const ofPage = encodeSnapshotPageCursor({ feedId, snapshotId: randomUUID(), resource: 'topics', position });
    for (const cursor of ['', 'x', startCursor.slice(1), `${startCursor}A`, ofPage, 'x'.repeat(513)]) {
      await refused(id, `?cursor=${cursor}`, 400, 'invalid_parameter');
    }
  });

  test('beyond the head or of a feed that is not served is 410', async () => {
    const { id, startCursor } = await newFeed(served, key.secret, 'a');
    const { feedId, position } = decodeFeedCursor(startCursor) as FeedCursor;
    for (const other of [
      { feedId, position: position + 1 },
      { feedId: randomUUID(), position },
    ]) {
      await refused(
        id,
        `?cursor=${encodeFeedCursor({ ...other, fingerprint: null, binding: 'all' })}`,
        410,
        'cursor_expired',
      );
    }
  });

  test('and a start older than thirty days are 410; the answer states until when a cursor can be replayed', async () => {
    const { id } = await newFeed(served, key.secret, 'a', 'topics');
    expect((await page(id)).meta.replayExpiresAt).toBe(new Date(served.clock.now() + RETENTION_MS).toISOString());
    const changedAt = served.clock.now();
    await change('topics');
    await change('topics');
    const { meta } = await page(id, '?limit=1');
    expect(Date.parse(meta.replayExpiresAt)).toBe(changedAt + RETENTION_MS);
    served.clock.advance(RETENTION_MS);
    expect((await page(id)).data.items).toHaveLength(2);
    served.clock.advance(1);
    await refused(id, '', 410, 'cursor_expired');
    const { details } = await refused(id, `?cursor=${meta.nextCursor}`, 410, 'cursor_expired');
    expect(details).toMatchObject({ recovery: [{ operationId: 'createCivicSnapshot' }] });
    // The recovery needs no new subscription.
    const recovered = await page(id, `?cursor=${await snapshotCursor()}`);
    await change('topics');
    expect((await page(id, `?cursor=${recovered.meta.nextCursor}`)).data.items).toHaveLength(1);
    await refused(id, '', 410, 'cursor_expired');
  });

  test('at the head of a feed without changes for longer than the retention is accepted', async () => {
    const { id, startCursor } = await newFeed(served, key.secret, 'quiet');
    served.clock.advance(3 * RETENTION_MS);
    expect((await page(id)).meta.nextCursor).toBe(startCursor);
  });

  test('whose position was pruned is 410', async () => {
    const { id } = await newFeed(served, key.secret, 'a');
    await change('topics');
    await change('topics');
    served.clock.advance(RETENTION_MS + 8 * DAY_MS);
    await served.civic.prune();
    await refused(id, '', 410, 'cursor_expired');
  });
});

describe('the subscription', () => {
  test('that is unknown, of another key or account, revoked, or no uuid is 404, with any parameters', async () => {
    const { id, startCursor } = await newFeed(served, key.secret, 'a');
    const second = await served.issueKey(account);
    const stranger = await served.issueKey(await served.openAccount({ tier: 'ultra' }));
    for (const query of ['', `?cursor=${startCursor}`, '?cursor=damaged']) {
      for (const by of [second, stranger]) await refused(id, query, 404, 'not_found', by);
      for (const none of [randomUUID(), 'x', `${id}x`, '%20', id.slice(1), '00000000-0000-0000-0000-000000000000']) {
        await refused(none, query, 404, 'not_found');
      }
    }
    await page(id.toUpperCase());
    await revokeFeed(served, key.secret, id);
    await refused(id, '', 404, 'not_found');
    await refused(id, `?cursor=${startCursor}`, 404, 'not_found');
  });

  test('that is revoked gets the same answer as one that never existed', async () => {
    const { id } = await newFeed(served, key.secret, 'a');
    await revokeFeed(served, key.secret, id);
    const textOf = async (of: string) => (await pollFeed(served, key.secret, of)).text();
    expect(await textOf(id)).toBe(await textOf(randomUUID()));
  });

  test('accepts cursor and limit, each once, and no other parameter', async () => {
    const { id } = await newFeed(served, key.secret, 'a', 'topics');
    for (const query of [
      '?resource=topics',
      '?unknown=1',
      '?limit=1&limit=1',
      '?limit=1&l%69mit=1',
      '?LIMIT=1',
      '?cursor',
    ]) {
      await refused(id, query, 400, 'invalid_parameter');
    }
  });

  test('ends with its key: a replacement key needs a subscription of its own', async () => {
    const brief = await served.issueKey(account, { expiresAt: new Date(served.clock.now() + 1_000).toISOString() });
    const { id } = await newFeed(served, brief.secret, 'a');
    served.clock.advance(999);
    await page(id, '', brief);
    served.clock.advance(1);
    await refused(id, '', 401, 'unauthorized', brief);
    await refused(id, '', 404, 'not_found', key);
    const other = await served.issueKey(account);
    const another = await newFeed(served, other.secret, 'b');
    await served.command(account, { type: 'RevokeKey', keyId: other.keyId });
    await refused(another.id, '', 401, 'unauthorized', other);
  });

  test('is refused without a paid period or plan, before anything is read, and then continues', async () => {
    const { id } = await newFeed(served, key.secret, 'a', 'topics');
    await served.command(account, {
      type: 'SetPeriod',
      tier: 'pro',
      paidUntil: new Date(served.clock.now() + 1_000).toISOString(),
    });
    await change('topics');
    served.clock.advance(1_000);
    await refused(id, '?limit=0', 403, 'billing_entitlement_required');
    await refused('x', '', 403, 'billing_entitlement_required');
    const paidUntil = new Date(served.clock.now() + DAY_MS).toISOString();
    await served.command(account, { type: 'SetPeriod', tier: 'none', paidUntil });
    await refused(id, '', 403, 'feed_subscription_plan_required');
    await served.command(account, { type: 'SetPeriod', tier: 'ultra', paidUntil });
    expect((await page(id)).data.items).toHaveLength(1);
    await served.command(account, { type: 'SuspendAccount' });
    await refused(id, '', 401, 'unauthorized');
  });

  test('can be read with the scope civic:read only', async () => {
    const { id } = await newFeed(served, key.secret, 'a');
    await refused(id, '', 403, 'forbidden', await served.issueKey(account, { scopes: ['civic:export', 'mcp:read'] }));
  });
});

test('a page over the response limit of the account is refused, and a smaller one is served', async () => {
  const { id } = await newFeed(served, key.secret, 'big', 'stream_records');
  const big = 'x'.repeat(400_000);
  const records = Array.from({ length: 14 }, (_, number) => {
    const record = upsert('stream_records', 900 + number, (variant += 1));
    return { ...record, content: { ...(record as unknown as { content: object }).content, summary: big } };
  });
  await served.civic.writer.write(records, {});
  await served.civic.caughtUp(await served.civic.log.head());
  await refused(id, '', 413, 'response_too_large');
  expect((await page(id, '?limit=5')).data.items).toHaveLength(5);
});
