import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { legistarHttpReader } from '../../../infra/legistar/http-client.ts';
import { syncAgendas } from '../../../src/sources/agendas/sync.ts';
import { cutBody, type Fault, hang, status } from './replay-server.ts';
import { CLIENT, type ServedClient, serveClient } from './served-client.ts';

const TOKEN = 's3cret+/=.token';
const SETTING = `CIVIC_SOURCE_TOKENS (legistar:${CLIENT}=TOKEN)`;

let client: ServedClient;
let gate: Server;
let baseUrl: string;
/** Replaces the answers of the gate. */
let fault: Fault | undefined;
let tokens: (string | null)[];

/** Lets requests with the token pass to the source. */
beforeEach(async () => {
  client = await serveClient();
  [fault, tokens] = [undefined, []];
  gate = createServer((request, response) => {
    const url = new URL(request.url ?? '/', client.server.baseUrl);
    tokens.push(url.searchParams.get('token'));
    if (fault !== undefined) return fault(response);
    if (url.searchParams.get('token') !== TOKEN) return response.writeHead(403).end('Token required');
    return void fetch(url).then(async (answer) => response.writeHead(answer.status).end(await answer.text()));
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  baseUrl = `http://127.0.0.1:${(gate.address() as AddressInfo).port}/v1`;
});
afterEach(async () => {
  gate.closeAllConnections();
  gate.close();
  await once(gate, 'close');
  await client.server.close();
});

async function sync(token?: string) {
  const { clock, records } = client;
  const retries = { attempts: 2, baseMilliseconds: 1, maxMilliseconds: 1 };
  const reader = legistarHttpReader({
    baseUrl,
    client: CLIENT,
    token,
    clock,
    random: () => 0,
    timeoutMilliseconds: 2_000,
    retries,
  });
  const report = await syncAgendas(
    reader,
    { client: CLIENT, options: {}, token },
    { writer: records, known: records, clock },
  );
  expect(JSON.stringify([report, [...records.records], records.log])).not.toContain('s3cret');
  return report;
}

test('a client that needs a token is read with it', async () => {
  expect(await sync(TOKEN)).toMatchObject({ failure: null, failedEvents: 0, read: { events: 6 } });
  expect(new Set(tokens)).toEqual(new Set([TOKEN]));
});

test('a client that needs a token and has none says so, and names the setting', async () => {
  expect((await sync()).failure).toBe(
    `this client needs a token: set it in ${SETTING}; the source answered with status 403`,
  );
});

test.each([401, 403])('a token that is refused with %i is not reported as missing', async (code) => {
  fault = status(code);
  expect((await sync('s3cret')).failure).toBe(
    `the token was refused: check it in ${SETTING}; the source answered with status ${code}`,
  );
});

test('an answer that is not a list also names the setting', async () => {
  fault = (response) => response.writeHead(200).end('{"Message":"Token is required."}');
  const reason = 'the source has no list at bodies: it answered with something else';
  expect((await sync()).failure).toBe(`${reason}; if this client needs a token, set it in ${SETTING}`);
  expect((await sync('s3cret')).failure).toBe(`${reason}; check the token in ${SETTING}`);
});

test('a redirect carries the token to no other place', async () => {
  const requests: string[] = [];
  const elsewhere = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('[]');
  });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const { port } = elsewhere.address() as AddressInfo;
  fault = (response) => response.writeHead(302, { location: `http://localhost:${port}/?token=${TOKEN}` }).end();
  expect((await sync(TOKEN)).failure).toContain('with status 302');
  expect(requests).toEqual([]);
  elsewhere.close();
  await once(elsewhere, 'close');
});

test.each([
  ['an answer that is cut', cutBody],
  ['no answer', hang],
  [
    'a status that shows the address',
    status(500, {}, `cannot read /v1?token=${encodeURIComponent(TOKEN)} with ${TOKEN}`),
  ],
  ['a closed connection', (response) => response.destroy()],
] satisfies readonly (readonly [string, Fault])[])('a failure shows no token: %s', async (_, nextFault) => {
  fault = nextFault;
  expect((await sync(TOKEN)).failure).toMatch(/could not be read at \/v1\/fortworthgov\/bodies: /);
});
