import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readCivicSnapshotPage } from '../../contract/read-civic-snapshot-page.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.calls.length = 0;
});

const snapshotId = randomUUID();
const read = (path: string) =>
  fetch(`${edge.url}/api/v1/data/snapshots/${path}`, { headers: { authorization: `Bearer ${edge.keys.export}` } });
const lastInput = () => edge.calls.at(-1)?.input;

test.each(RESOURCES)('a page of %s is answered 200, uncached, for the account of the request', async (resource) => {
  const response = await read(`${snapshotId}/${resource}`);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  readCivicSnapshotPage.success.schema.parse(await response.json());
  expect(lastInput()).toEqual({
    accountId: edge.accountId,
    snapshotId,
    resource,
    limit: 100,
    maxResponseBytes: 5_000_000,
    form: 'json',
  });
});

test('cursor and limit are passed to the query, the limit clamped to the page cap', async () => {
  expect((await read(`${snapshotId}/topics?cursor=abc&limit=7000`)).status).toBe(200);
  expect(lastInput()).toMatchObject({ cursor: 'abc', limit: 500 });
});

test('the id is read without regard to case', async () => {
  await read(`${snapshotId.toUpperCase()}/topics`);
  expect(lastInput()).toMatchObject({ snapshotId });
});

test.each(['topic', 'Topics', 'constructor', '%00'])('the resource "%s" is 400', async (resource) => {
  await expectRefusal(await read(`${snapshotId}/${resource}`), 400, 'invalid_parameter');
});

test.each(['1', 'latest', 'x'.repeat(200), '%00'])('an id "%s", which is no uuid, is a bad parameter', async (id) => {
  await expectRefusal(await read(`${id}/topics`), 400, 'invalid_parameter');
  expect(edge.calls).toEqual([]);
});

test.each(['limit=0', 'limit=x', 'cursor=', 'resource=topics', `cursor=${'a'.repeat(513)}`])(
  'the query "%s" is 400',
  async (query) => {
    await expectRefusal(await read(`${snapshotId}/topics?${query}`), 400, 'invalid_parameter');
  },
);

test('a snapshot that the account does not have is 404', async () => {
  edge.answerWith({
    readCivicSnapshotPage: async () => {
      throw new Rejection('not_found', 'there is no such snapshot');
    },
  });
  await expectRefusal(await read(`${snapshotId}/topics`), 404, 'not_found');
});

test('a path with one part more or less is 404', async () => {
  await expectRefusal(await read(snapshotId), 404, 'not_found');
  await expectRefusal(await read(`${snapshotId}/topics/more`), 404, 'not_found');
});
