import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope } from '../../contract/error-codes.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { parseResponse, rawConnection } from '../support/http-raw.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';

const PATHS = ['/livez', '/readyz', '/metrics', '/ops', '/ops/state'];

async function askAt(
  url: string,
  path: string,
  ...hosts: readonly string[]
): Promise<ReturnType<typeof parseResponse>> {
  const { port, hostname: address } = new URL(url);
  const raw = await rawConnection(Number(port), address);
  raw.send([`GET ${path} HTTP/1.1`, ...hosts.map((host) => `host: ${host}`), 'connection: close', '', ''].join('\r\n'));
  return parseResponse(await raw.ended());
}

/** A page whose name resolves to this address (DNS rebinding) is same-origin for the browser: only its `Host` differs. */
describe("the operators' listener", () => {
  let database: TestDatabase;
  let served: ServedCivic;
  beforeAll(async () => {
    database = await startTestDatabase();
    served = await serveCivic(database.url, { CIVIC_OPS_PORT: '0' });
  });
  afterAll(async () => {
    await served?.close();
    await database?.close();
  });

  test.each([
    'evil.test',
    'evil.test:9464',
    'localhost.evil.test',
    '127.0.0.1.evil.test',
    'xlocalhost',
    '127.0.0.1@evil.test',
    '',
  ])('refuses every path to Host %j', async (host) => {
    for (const path of PATHS) {
      const { status, body } = await askAt(served.opsUrl!, path, host);
      expect([path, [400, 403, 421].includes(status), /civic_|status|<html/.test(body)]).toEqual([path, true, false]);
    }
  });

  test('refuses two Host headers', async () => {
    expect([400, 403, 421]).toContain((await askAt(served.opsUrl!, '/livez', '127.0.0.1', 'evil.test')).status);
  });

  test.each([
    'localhost',
    'LOCALHOST:9464',
    '127.0.0.1',
    '127.0.0.1:9464',
    '[::1]',
    '[::1]:9464',
    '10.1.2.3',
    '192.0.2.1:80',
    '[2001:db8::1]:9',
  ])('answers to Host %j', async (host) => {
    expect((await askAt(served.opsUrl!, '/livez', host)).status).toBe(200);
  });
});

/** A name of this machine that resolves to it. */
const ownName = await lookup(hostname(), { family: 4 }).then(
  ({ address }) => (address.startsWith('127.') && hostname() !== 'localhost' ? hostname() : null),
  () => null,
);

test.skipIf(ownName === null)(
  "the operators' listener answers to the host name that it is set to listen on",
  async () => {
    const database = await startTestDatabase();
    const served = await serveCivic(database.url, { CIVIC_OPS_PORT: '0', CIVIC_OPS_HOST: ownName! });
    try {
      expect((await askAt(served.opsUrl!, '/livez', ownName!)).status).toBe(200);
      expect((await askAt(served.opsUrl!, '/livez', `${ownName}x`)).status).not.toBe(200);
    } finally {
      await served.close();
      await database.close();
    }
  },
);

describe('the public listener', () => {
  let edge: HttpEdge;
  beforeAll(async () => {
    edge = await startHttpEdge();
  });
  afterAll(() => edge.close());

  test.each([
    ['/api/v1/public/coverage', ['a', 'b']],
    ['/api/v1/public/coverage', ['a', 'a']],
    ['/api/v1/data/health', ['a', 'b']],
    ['/nothing', ['a', 'b', 'c']],
  ])('refuses %s with the Host headers %j as invalid_parameter', async (path, hosts) => {
    const { status, body } = await askAt(edge.url, path, ...hosts);
    expect(status).toBe(400);
    expect(errorEnvelope.parse(JSON.parse(body)).error.code).toBe('invalid_parameter');
  });
});
