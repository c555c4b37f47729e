import { afterEach, describe, expect, test } from 'vitest';
import { EMPTY_ANSWERS, type EdgeSettings, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { type RawConnection, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge;
let raw: RawConnection;
afterEach(async () => {
  raw.socket.destroy();
  await edge.close();
});

async function open(settings: EdgeSettings = {}): Promise<void> {
  edge = await startHttpEdge(settings);
  raw = await rawConnection(edge.port);
}
const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'host: x', `authorization: Bearer ${edge.keys.all}`, ...headers, '', ''].join('\r\n');
const post = (path: string, body: string, ...headers: string[]): string =>
  [
    `POST ${path} HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${edge.keys.all}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
const HOUR_MS = 3_600_000;
const HEALTH = '/api/v1/data/health';
const BATCH = '/api/v1/data/batch';
const SOUND = JSON.stringify({ requests: [{ resource: 'topics', ids: ['x'] }] });

/** The received statuses, in order. */
const statuses = (received: string): number[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Delays the answer of health until it is released. */
function holdRequest() {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  edge.answerWith({
    readCivicHealth: async () => {
      arrived.resolve();
      await released.promise;
      return EMPTY_ANSWERS.readCivicHealth();
    },
  });
  return { asked: arrived.promise, release: released.resolve };
}

describe('requests behind a running one', () => {
  test('do not run if the answer before them closes the connection', async () => {
    await open();
    const { asked, release } = holdRequest();
    raw.send(get(HEALTH, 'connection: close') + post(BATCH, SOUND));
    await asked;
    release();
    expect(statuses(await raw.ended())).toEqual([200]);
    expect(edge.calls.map(({ name }) => name)).toEqual(['readCivicHealth']);
  });

  test('are answered before a CONNECT behind them ends the connection', async () => {
    await open();
    raw.send(`${get(HEALTH)}${get('/api/v1/data/nothing')}CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(statuses(await raw.ended())).toEqual([200, 404]);
  });

  test('end the connection after the running answer if their body is broken', async () => {
    await open();
    const { asked, release } = holdRequest();
    raw.send(get(HEALTH));
    await asked;
    const head = `POST ${BATCH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${edge.keys.all}\r\ncontent-type: application/json\r\n`;
    raw.send(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`);
    release();
    expect([[200], [200, 400]]).toContainEqual(statuses(await raw.ended()));
  });
});

test('a connection stays usable after malformed JSON and after an empty body', async () => {
  await open();
  raw.send(post(BATCH, '{') + post(BATCH, '') + post(BATCH, SOUND, 'connection: close'));
  expect(statuses(await raw.ended())).toEqual([400, 400, 200]);
});

test('an operation without a body does not wait for one', async () => {
  await open({ timeouts: { headers: HOUR_MS, request: HOUR_MS, keepAlive: HOUR_MS } });
  const { promise, resolve } = Promise.withResolvers<void>();
  edge.answerWith({
    createCivicSnapshot: async (caller) => {
      resolve();
      return EMPTY_ANSWERS.createCivicSnapshot(caller);
    },
  });
  const head = [
    `POST /api/v1/data/snapshots HTTP/1.1`,
    'host: x',
    `authorization: Bearer ${edge.keys.all}`,
    'content-length: 1000000',
  ];
  raw.send([...head, 'content-type: application/octet-stream', '', 'x'].join('\r\n'));
  await promise;
  expect(edge.calls.map(({ name }) => name)).toEqual(['createCivicSnapshot']);
});

test('a client that reads no answer and sends a byte now and then is disconnected', async () => {
  const body = 'x'.repeat(20_000_000);
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  const documents = () => [{ path: '/big', operationId: null, headers, body: async () => body }];
  await open({ timeouts: { headers: 200, request: 400 }, documents });
  raw.socket.pause();
  raw.send(`${get('/big')}GET /x HTTP/1.1\r\n`);
  const dripping = setInterval(() => raw.socket.write('a'), 100);
  raw.socket.once('close', () => clearInterval(dripping));
  // The refused writes show the end: the client reads nothing.
  await new Promise((resolve) => raw.socket.once('close', resolve));
});

describe('a preflight', () => {
  test.each(['/api/v1/mcpx', '/api/v1/mcp/other'])('of %s is 404 in the envelope', async (path) => {
    await open({ allowedOrigins: ['https://app.example.org'] });
    const headers = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' };
    const response = await fetch(edge.url + path, { method: 'OPTIONS', headers });
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { code: 'not_found', message: expect.any(String) as unknown } },
    ]);
  });

  test('of the tool endpoint is not stored, and one without an origin is 400', async () => {
    await open({ allowedOrigins: ['https://app.example.org'] });
    const headers = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' };
    const allowed = await fetch(`${edge.url}/api/v1/mcp`, { method: 'OPTIONS', headers });
    expect([allowed.status, allowed.headers.get('cache-control')]).toEqual([204, 'no-store']);
    const without = await fetch(`${edge.url}/api/v1/mcp`, { method: 'OPTIONS' });
    expect(without.status).toBe(400);
  });
});
