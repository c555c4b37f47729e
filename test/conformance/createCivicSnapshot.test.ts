import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createCivicSnapshot } from '../../contract/create-civic-snapshot.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.calls.length = 0;
});

const create = (init: RequestInit = {}, query = '') =>
  fetch(`${edge.url}/api/v1/data/snapshots${query}`, {
    ...init,
    method: 'POST',
    headers: { authorization: `Bearer ${edge.keys.export}`, ...(init.headers as Record<string, string>) },
  });

test('answers 201 with the snapshot, uncached, for the account and key of the request', async () => {
  const response = await create();
  expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { data } = createCivicSnapshot.success.schema.parse(await response.json());
  expect(Object.keys(data.counts)).toHaveLength(11);
  const requestId = response.headers.get('x-request-id');
  expect(edge.calls).toEqual([
    {
      name: 'createCivicSnapshot',
      input: { accountId: edge.accountId, keyId: expect.any(String) as string, requestId },
    },
  ]);
});

test('accepts no parameters', async () => {
  await expectRefusal(await create({}, '?limit=1'), 400, 'invalid_parameter');
  expect(edge.calls).toEqual([]);
});

describe('ignores any body', () => {
  test.each<[string, RequestInit]>([
    ['malformed JSON', { body: '{"', headers: { 'content-type': 'application/json' } }],
    ['another media type', { body: '<a/>', headers: { 'content-type': 'application/xml' } }],
    ['a broken media type', { body: 'x', headers: { 'content-type': ';;;/' } }],
    [
      'an encoding that it is not in',
      { body: 'x', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    ],
    ['10 MB', { body: new Uint8Array(10_000_000) }],
    ['a chunked megabyte', { body: new Blob([new Uint8Array(1_000_000)]).stream(), duplex: 'half' }],
  ])('of %s', async (_, init) => {
    const response = await create(init);
    expect(response.status).toBe(201);
    createCivicSnapshot.success.schema.parse(await response.json());
  });

  const head = ({ keys } = edge) =>
    `POST /api/v1/data/snapshots HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${keys.export}\r\ncontent-type: application/json\r\n`;

  test('that never ends: the answer does not wait, and the connection is closed', async () => {
    const hasty = await startHttpEdge({ timeouts: { headers: 400, request: 800 } });
    onTestFinished(() => hasty.close());
    const raw = await rawConnection(hasty.port);
    raw.send(`${head(hasty)}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    expect(parseResponse(await raw.until(isWholeResponse)).status).toBe(201);
    expect(await raw.ended()).toMatch(/^HTTP\/1\.1 201 /);
  });

  test('that is shorter than its content length', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(`${head()}content-length: 1000\r\n\r\n{`);
    expect(parseResponse(await raw.until(isWholeResponse)).status).toBe(201);
    raw.socket.destroy();
  });

  test('whose chunks are broken: there is one answer and no second one for the rest', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(`${head()}transfer-encoding: chunked\r\n\r\nnonsense\r\n`);
    const received = await raw.ended();
    expect([201, 400]).toContain(parseResponse(received).status);
    expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('whose chunks break after the answer: nothing more is sent on the connection', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(`${head()}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await raw.until(isWholeResponse);
    raw.send('nonsense\r\n');
    expect((await raw.ended()).match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('that ends late: the connection serves the next request', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(`${head()}content-length: 5\r\n\r\nhe`);
    await raw.until(isWholeResponse);
    raw.send(`llo${head()}content-length: 0\r\nconnection: close\r\n\r\n`);
    expect((await raw.ended()).match(/HTTP\/1\.1 201/g)).toHaveLength(2);
  });
});
