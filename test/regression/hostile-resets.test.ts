import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FuzzFacts } from '../fuzz/conversation.ts';
import { isAlive, untilConnectionsGone } from '../fuzz/process-watch.ts';
import { type AttackedProcess, startAttackedProcess } from '../support/attacked-process.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { currentRequest } from '../support/tool-requests.ts';

const HEAP_MB = 512;
const AT_ONCE = 100;
const MAX_MS = 120_000;

let database: TestDatabase;
let attacked: AttackedProcess;
let facts: FuzzFacts;
let pid: number;

beforeAll(async () => {
  database = await startTestDatabase();
  attacked = await startAttackedProcess(database.url, { heapMb: HEAP_MB });
  facts = await attacked.makeFacts();
  pid = attacked.pid!;
});
afterAll(async () => {
  await attacked?.stop();
  await database?.close();
});

/** Null if the process accepts no connection. */
const opened = (): Promise<Socket | null> =>
  new Promise((resolve) => {
    const socket = connect({ port: attacked.port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(socket)).on('error', () => resolve(null));
  });

const write = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    socket.write(bytes, () => resolve());
    socket.once('close', () => resolve());
  });

async function answersHealth(): Promise<number> {
  const headers = { authorization: `Bearer ${facts.key}`, connection: 'close' };
  const answer = await fetch(`${attacked.baseUrl}/api/v1/data/health`, { headers });
  await answer.text();
  return answer.status;
}

/** Resets one connection per text, many at once: after the text was sent, or after another connection got an answer. */
async function resetAll(texts: readonly Buffer[], when: 'once sent' | 'once read'): Promise<void> {
  for (let from = 0; from < texts.length && isAlive(pid); from += AT_ONCE) {
    const sockets = await Promise.all(
      texts.slice(from, from + AT_ONCE).map(async (text) => {
        const socket = await opened();
        if (socket !== null && text.length > 0) await write(socket, text);
        if (when === 'once sent') socket?.resetAndDestroy();
        return socket;
      }),
    );
    if (when === 'once read') await answersHealth().catch(() => undefined);
    for (const socket of sockets) socket?.resetAndDestroy();
  }
}

async function expectUnharmed(): Promise<void> {
  expect({ isAlive: isAlive(pid), pid: attacked.pid }).toEqual({ isAlive: true, pid });
  await untilConnectionsGone(attacked);
  expect(await answersHealth()).toBe(200);
}

const headed = (line: string, ...headers: readonly string[]): string =>
  [line, 'host: x', ...headers, '', ''].join('\r\n');

describe('1,000 resets leave the process alive', { timeout: MAX_MS }, () => {
  test.each([
    ['CONNECT', headed('CONNECT a:1 HTTP/1.1')],
    ['Upgrade', headed('GET /llms.txt HTTP/1.1', 'connection: upgrade', 'upgrade: websocket')],
  ])('after %s', async (_, text) => {
    const texts = Array.from({ length: 500 }, () => Buffer.from(text));
    await resetAll(texts, 'once sent');
    await resetAll(texts, 'once read');
    await expectUnharmed();
  });
});

describe('a reset at every byte leaves the process alive', { timeout: MAX_MS }, () => {
  const batch = JSON.stringify({ requests: [{ resource: 'topics', ids: ['00000000-0000-4000-8000-000000000000'] }] });
  const json = 'content-type: application/json';
  const length = (body: string): string => `content-length: ${body.length}`;
  const key = (): string => `authorization: Bearer ${facts.key}`;
  const tools = currentRequest('tools/list');
  const toolHeaders = Object.entries(tools.headers).map(([name, value]) => `${name}: ${value}`);
  test.each<readonly [string, () => string]>([
    ['a public GET', () => headed('GET /api/v1/public/coverage?limit=1 HTTP/1.1')],
    ['a customer GET', () => headed('GET /api/v1/data/changes?limit=1 HTTP/1.1', key())],
    ['a POST with a body', () => headed('POST /api/v1/data/batch HTTP/1.1', key(), json, length(batch)) + batch],
    [
      'a chunked POST',
      () =>
        `${headed('POST /api/v1/data/batch HTTP/1.1', key(), json, 'transfer-encoding: chunked')}${batch.length.toString(16)}\r\n${batch}\r\n0\r\n\r\n`,
    ],
    [
      'a call of the tool endpoint',
      () => headed('POST /api/v1/mcp HTTP/1.1', key(), json, ...toolHeaders, length(tools.body)) + tools.body,
    ],
    ['CONNECT', () => headed('CONNECT a:1 HTTP/1.1')],
    ['Upgrade', () => headed('GET /llms.txt HTTP/1.1', 'connection: upgrade', 'upgrade: websocket')],
    ['bytes that are not HTTP', () => 'GET /llms.txt HTTP/1.1\r\nhost x\r\n\r\nhello\r\n\r\n'],
  ])('of %s', async (_, text) => {
    const whole = Buffer.from(text());
    const prefixes = Array.from({ length: whole.length + 1 }, (_unused, bytes) => whole.subarray(0, bytes));
    await resetAll(prefixes, 'once sent');
    await resetAll(prefixes, 'once read');
    await expectUnharmed();
  });
});
