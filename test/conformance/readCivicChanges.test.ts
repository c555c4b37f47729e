import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readCivicChanges } from '../../contract/read-civic-changes.ts';
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

const read = (query = '', init: RequestInit = {}) =>
  fetch(`${edge.url}/api/v1/data/changes${query}`, { ...init, headers: { authorization: `Bearer ${edge.keys.read}` } });
const lastInput = () => edge.calls.at(-1)?.input;

test('answers 200, uncached, with the body exactly as the query returns it', async () => {
  const text =
    '{"data":{"items":[]},  "meta":{"nextCursor":"x","hasMore":false,"replayExpiresAt":"2026-01-01T00:00:00.000Z"}}';
  edge.answerWith({ readCivicChanges: async () => ({ text, items: 0 }) });
  const response = await read();
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const body = await response.text();
  expect(body).toBe(text);
  readCivicChanges.success.schema.parse(JSON.parse(body));
});

test('reads 100 changes of every resource from the oldest position without parameters', async () => {
  await read();
  expect(lastInput()).toEqual({ limit: 100, maxResponseBytes: 5_000_000, form: 'json' });
});

test.each([
  ['1', 1],
  ['500', 500],
  ['501', 500],
  ['999999999999999', 500],
  ['9'.repeat(400), 500],
])('a limit of %s reads %i', async (limit, expected) => {
  expect((await read(`?limit=${limit}`)).status).toBe(200);
  expect(lastInput()).toMatchObject({ limit: expected });
});

test.each(['0', '-1', '1.5', '1e2', '', ' 1', '1%20', '%2B1', '+1', 'abc', '0x10', '01', 'Infinity', '%D9%A1'])(
  'a limit of "%s" is 400',
  async (limit) => {
    await expectRefusal(await read(`?limit=${limit}`), 400, 'invalid_parameter');
    expect(edge.calls).toEqual([]);
  },
);

test.each(RESOURCES)('the filter %s is passed to the query', async (resource) => {
  expect((await read(`?resource=${resource}`)).status).toBe(200);
  expect(lastInput()).toMatchObject({ resource });
});

test.each(['', 'topic', 'TOPICS', 'topics,meetings', 'toString', 'all'])('the filter "%s" is 400', async (resource) => {
  await expectRefusal(await read(`?resource=${resource}`), 400, 'invalid_parameter');
});

test('a cursor of 1 to 512 characters is passed unchanged to the query, and any other is 400', async () => {
  for (const cursor of ['a', 'a'.repeat(512)]) {
    expect((await read(`?cursor=${cursor}`)).status).toBe(200);
    expect(lastInput()).toMatchObject({ cursor });
  }
  for (const cursor of ['', 'a'.repeat(513)])
    await expectRefusal(await read(`?cursor=${cursor}`), 400, 'invalid_parameter');
});

test('a refusal of the query is answered with its status and code', async () => {
  edge.answerWith({
    readCivicChanges: async () => {
      throw new Rejection('cursor_expired', 'older than the replay floor', { details: { recovery: [] } });
    },
  });
  const { message, details } = await expectRefusal(await read(), 410, 'cursor_expired');
  expect([message, details]).toEqual([
    'older than the replay floor',
    { recovery: [], docs: `${edge.url}/docs/errors/cursor_expired` },
  ]);
});

test('a page over the response limit is refused with 413', async () => {
  edge.answerWith({ readCivicChanges: async () => ({ text: JSON.stringify('x'.repeat(4_999_999)), items: 1 }) });
  await expectRefusal(await read(), 413, 'response_too_large');
});

test('the number of served items is counted', async () => {
  edge.answerWith({ readCivicChanges: async () => ({ text: '{}', items: 7 }) });
  await (await read()).text();
  expect(await edge.registry.metrics()).toContain('civic_items_served_total{operation="readCivicChanges"} 7');
});
