import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { isWholeResponse, parseResponse, type RawConnection, rawConnection } from '../support/http-raw.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';

/** Connections of the tests come from loopback, which is a trusted proxy by default. */
const UNTRUSTED = { CIVIC_TRUSTED_PROXIES: '192.0.2.1' };

let database: TestDatabase;
let served: ServedCivic;
const raws: RawConnection[] = [];
beforeAll(async () => {
  database = await startTestDatabase();
});
afterEach(async () => {
  for (const { socket } of raws.splice(0)) socket.destroy();
  await served?.close();
});
afterAll(() => database?.close());

/** The status of a request on a connection that stays open; null if it is ended without an answer or refused. */
async function open(): Promise<number | null> {
  const raw = await rawConnection(Number(new URL(served.baseUrl).port));
  raws.push(raw);
  raw.send('GET /llms.txt HTTP/1.1\r\nhost: x\r\n\r\n');
  const received = await raw.until(isWholeResponse).catch(() => null);
  return received === null ? null : parseResponse(received).status;
}

async function openMany(count: number): Promise<readonly (number | null)[]> {
  const statuses: (number | null)[] = [];
  while (statuses.length < count) statuses.push(await open());
  return statuses;
}

const times = (count: number): readonly number[] => Array.from({ length: count }, () => 200);

/** The place of a closed connection is free once the server has seen its end. */
async function openAgain(): Promise<void> {
  raws.shift()!.socket.destroy();
  await expect.poll(open, { timeout: 60_000 }).toBe(200);
}

describe('connections over a limit get no answer, and one is answered after another has closed', () => {
  test('in total', async () => {
    served = await serveCivic(database.url, { CIVIC_HTTP_MAX_CONNECTIONS: '8' });
    expect(await openMany(8)).toEqual(times(8));
    expect(await open()).not.toBe(200);
    await openAgain();
  });

  test('of one client address', async () => {
    served = await serveCivic(database.url, { CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT: '4', ...UNTRUSTED });
    expect(await openMany(4)).toEqual(times(4));
    expect(await open()).not.toBe(200);
    await openAgain();
  });
});

test('a trusted proxy may have more connections than one client address', async () => {
  served = await serveCivic(database.url, { CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT: '4' });
  expect(await openMany(8)).toEqual(times(8));
});
