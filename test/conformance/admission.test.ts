import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CUSTOMER_OPERATIONS } from '../../contract/operations.ts';
import { type HttpEdge, type KeyName, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.identity = 'working';
  edge.calls.length = 0;
});

const operations = Object.values(CUSTOMER_OPERATIONS).map(({ operationId, method, path, scope }) => ({
  operationId,
  method,
  path: path
    .replace('{snapshotId}', '00000000-0000-0000-0000-000000000000')
    .replace('{resource}', 'topics')
    .replace('{subscriptionId}', '00000000-0000-0000-0000-000000000000')
    .replace('{reportId}', '00000000-0000-0000-0000-000000000000'),
  scope,
  badInput: path.startsWith('/api/v1/data-reports') ? 'invalid_input' : 'invalid_parameter',
}));

const ask = ({ method, path }: { method: string; path: string }, authorization?: string) =>
  fetch(edge.url + path, { method, headers: authorization === undefined ? {} : { authorization } });

describe.each(operations)('$operationId', (operation) => {
  test.each<KeyName>(['revoked', 'expired', 'suspended', 'unknown'])(
    'refuses a key that is %s with 401',
    async (key) => {
      await expectRefusal(await ask(operation, `Bearer ${edge.keys[key]}`), 401, 'unauthorized');
      expect(edge.calls).toEqual([]);
    },
  );

  test('refuses a missing credential and any other than a bearer key with 401', async () => {
    const { all } = edge.keys;
    const odd = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      all,
      `Basic ${all}`,
      `Bearer ${all} ${all}`,
      `Bearer ${all}, Bearer ${all}`,
    ];
    const wrong = [
      ...odd,
      `Bearer\t${all}`,
      `Bearer ${all.slice(0, -1)}`,
      `Bearer ${all}x`,
      'Bearer crs_',
      `Bearer ${'x'.repeat(4000)}`,
    ];
    for (const authorization of wrong) await expectRefusal(await ask(operation, authorization), 401, 'unauthorized');
    expect(edge.calls).toEqual([]);
  });

  test('accepts no cookie and no query parameter as a credential', async () => {
    const headers = { cookie: `session=${edge.keys.all}; authorization=Bearer ${edge.keys.all}` };
    await expectRefusal(
      await fetch(`${edge.url}${operation.path}?key=${edge.keys.all}`, { method: operation.method, headers }),
      401,
      'unauthorized',
    );
  });

  test('refuses two Authorization headers with 401, even of the same key', async () => {
    const raw = await rawConnection(edge.port);
    const header = `authorization: Bearer ${edge.keys.all}\r\n`;
    raw.send(
      `${operation.method} ${operation.path} HTTP/1.1\r\nhost: x\r\n${header}${header}content-length: 0\r\nconnection: close\r\n\r\n`,
    );
    expect(parseResponse(await raw.until(isWholeResponse)).status).toBe(401);
    await raw.ended();
  });

  test.skipIf(operation.scope === null)(
    'refuses a key without its scope with 403 before it checks the input',
    async () => {
      const without: KeyName = operation.scope === 'civic:read' ? 'export' : 'read';
      for (const key of [without, 'mcp'] as const) {
        const refused = await ask({ ...operation, path: `${operation.path}?unknown=1` }, `Bearer ${edge.keys[key]}`);
        const { message } = await expectRefusal(refused, 403, 'forbidden');
        expect(message).toContain(operation.scope);
      }
      expect(edge.calls).toEqual([]);
    },
  );

  test('answers 503 authentication_unavailable when identity cannot be looked up, without Retry-After', async () => {
    edge.identity = 'failing';
    await expectRefusal(await ask(operation, `Bearer ${edge.keys.all}`), 503, 'authentication_unavailable');
    await expectRefusal(await ask(operation, `Bearer ${edge.keys.all.slice(0, -1)}`), 401, 'unauthorized');
    expect(edge.calls).toEqual([]);
  });

  test('checks the credential before the input', async () => {
    await expectRefusal(
      await ask({ ...operation, path: `${operation.path}?unknown=1` }, 'Bearer none'),
      401,
      'unauthorized',
    );
  });

  test('refuses unknown and repeated parameters, bad percent-encoding and invalid UTF-8 with 400', async () => {
    for (const query of [
      'unknown=1',
      'limit=1&limit=1',
      'limit[]=1',
      '=',
      'limit=%',
      'cursor=%ff',
      '__proto__=1',
      'limit=1&l%69mit=1',
      'LIMIT=1',
    ]) {
      const path = `${operation.path}?${query}`;
      await expectRefusal(await ask({ ...operation, path }, `Bearer ${edge.keys.all}`), 400, operation.badInput);
    }
    expect(edge.calls).toEqual([]);
  });
});

test('the authorization scheme is matched without regard to case, as in HTTP', async () => {
  expect((await ask({ method: 'GET', path: '/api/v1/data/health' }, `bearer ${edge.keys.all}`)).status).toBe(200);
});
