import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  ALLOWED_ORIGIN,
  call,
  expectEnvelope,
  expectProtocolError,
  startToolEdge,
  type ToolEdge,
} from '../support/tool-edge.ts';
import { BOTH_TYPES, currentRequest, legacyRequest, type ToolAsk } from '../support/tool-requests.ts';

let edge: ToolEdge;
beforeAll(async () => {
  edge = await startToolEdge();
});
afterAll(() => edge.close());
afterEach(() => edge.forget());

const ask = (request: Omit<ToolAsk, 'url'>) => edge.ask(request);

describe('a batch of the 2025 era', () => {
  const element = (id: unknown, method = 'tools/call', params: object = { name: 'get_coverage' }) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  });
  const batch = (elements: readonly object[], headers: Record<string, string> = { accept: BOTH_TYPES }) =>
    ask({ headers, body: JSON.stringify(elements) });

  test('is answered with one frame for each request', async () => {
    const { id: _, ...notification } = element(0, 'notifications/initialized', {});
    const answer = await batch([element(1), element('1'), element(2, 'tools/list', {}), notification]);
    expect(new Set(answer.messages.map(({ id }) => id))).toEqual(new Set([1, '1', 2]));
    expect(answer.messages).toHaveLength(3);
    expect(answer.messages.every(({ result }) => result !== undefined)).toBe(true);
  });

  test('of twenty is served; of twenty-one is refused, runs nothing and charges nothing', async () => {
    const elements = Array.from({ length: 21 }, (_, id) => element(id));
    expect((await batch(elements.slice(0, 20))).messages).toHaveLength(20);
    expect([edge.ran.length, edge.charged]).toEqual([20, [19]]);
    [edge.ran.length, edge.charged.length] = [0, 0];
    expectProtocolError(edge, await batch(elements), 400, -32_600, null);
    expect(edge.charged).toEqual([]);
  });

  test('with a repeated id, an element that is not a message, or an initialize is refused and runs nothing', async () => {
    expectProtocolError(edge, await batch([element(1), element(1, 'tools/list', {})]), 400, -32_600, null);
    expectProtocolError(edge, await batch([element(1), { any: 1 }]), 400, -32_600, null);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    expectProtocolError(edge, await batch([element(1), element(2, 'initialize', params)]), 400, -32_600, null);
    expect(edge.charged).toEqual([]);
  });

  test('is charged for each call after the first, and for nothing else', async () => {
    await batch([element(1), element(2, 'tools/list', {}), element(3)]);
    await batch([element(1), element(2, 'ping', {})]);
    await ask(legacyRequest('tools/call', call('get_coverage')));
    expect(edge.charged).toEqual([1]);
  });

  test('without units for all its calls is 429 as a whole and runs nothing', async () => {
    edge.room = 1;
    const answer = await batch([element(1), element(2), element(3)]);
    expectEnvelope(edge, answer, 429, 'rate_limited');
    expect(answer.headers['retry-after']).toBe('7');
    expect((await batch([element(1), element(2)])).messages).toHaveLength(2);
  });

  test('that is refused for its Accept is not charged', async () => {
    for (const accept of ['application/json', 'text/event-stream']) {
      expectProtocolError(edge, await batch([element(1), element(2)], { accept }), 406, -32_000, null);
    }
    expect(edge.charged).toEqual([]);
  });
});

describe('before the protocol is read', () => {
  const good = () => currentRequest('tools/call', call('get_coverage'));

  test('a missing, unknown or unusable key is 401', async () => {
    for (const key of [null, edge.keys.unknown, edge.keys.revoked, edge.keys.expired, edge.keys.suspended]) {
      expectEnvelope(edge, await ask({ ...good(), key }), 401, 'unauthorized');
    }
  });

  test('a key without mcp:read is 403', async () => {
    expectEnvelope(edge, await ask({ ...good(), key: edge.keys.read }), 403, 'forbidden');
  });

  test('identity that cannot be looked up is 503', async () => {
    edge.identity = 'failing';
    expectEnvelope(edge, await ask(good()), 503, 'authentication_unavailable');
  });

  test.each(['text/plain', 'application/json; charset=latin1', 'application/x-www-form-urlencoded', ''])(
    'a Content-Type of %j is 415',
    async (type) => {
      expectEnvelope(
        edge,
        await ask({ ...good(), headers: { ...good().headers, 'content-type': type } }),
        415,
        'invalid_parameter',
      );
    },
  );

  test('a Content-Encoding is 415', async () => {
    expectEnvelope(
      edge,
      await ask({ ...good(), headers: { ...good().headers, 'content-encoding': 'gzip' } }),
      415,
      'invalid_parameter',
    );
  });

  test.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'a Content-Type of %s is served',
    async (type) => {
      expect((await ask({ ...good(), headers: { ...good().headers, 'content-type': type } })).status).toBe(200);
    },
  );

  test('a body of 65,536 bytes is served, one byte more is refused, with or without Content-Length', async () => {
    const padded = (bytes: number) => good().body.padEnd(bytes, ' ');
    for (const bodyOf of [(text: string) => text, (text: string) => [text.slice(0, 100), text.slice(100)]]) {
      expect((await ask({ ...good(), body: bodyOf(padded(65_536)) })).status).toBe(200);
      edge.ran.length = 0;
      expectEnvelope(edge, await ask({ ...good(), body: bodyOf(padded(65_537)) }), 413, 'request_too_large');
    }
  });

  test('refusals have a fixed order: origin, key, media type, size, JSON, era', async () => {
    const bad = {
      headers: { 'content-type': 'text/plain', origin: 'https://evil.example' },
      body: 'x'.repeat(200_000),
      key: null,
    };
    expectEnvelope(edge, await ask(bad), 403, 'forbidden');
    const { origin: _, ...headers } = bad.headers;
    expectEnvelope(edge, await ask({ ...bad, headers }), 401, 'unauthorized');
    expectEnvelope(edge, await ask({ ...bad, headers, key: edge.keys.read }), 403, 'forbidden');
    expectEnvelope(edge, await ask({ ...bad, headers, key: edge.keys.mcp }), 415, 'invalid_parameter');
    expectEnvelope(edge, await ask({ ...bad, headers: {}, key: edge.keys.mcp }), 413, 'request_too_large');
    expectProtocolError(edge, await ask({ headers: {}, body: 'x' }), 400, -32_700, null);
  });

  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])(
    '%s is 405 with the allowed methods, with and without a key',
    async (method) => {
      const answer = await ask({ method, key: null });
      expect([answer.status, answer.headers['allow'], answer.headers['cache-control']]).toEqual([
        405,
        'POST, OPTIONS',
        'no-store',
      ]);
    },
  );

  test('a query is refused', async () => {
    const response = await fetch(`${edge.url}/api/v1/mcp?key=1`, {
      method: 'POST',
      headers: {
        ...good().headers,
        authorization: `Bearer ${edge.keys.mcp}`,
        'content-type': 'application/json',
      },
      body: good().body,
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: -32_600, data: { code: 'invalid_parameter' } } },
    ]);
  });
});

describe('a page in a browser', () => {
  const good = () => currentRequest('tools/list');
  const from = (origin: string) => ask({ ...good(), headers: { ...good().headers, origin } });

  test.each([
    'https://evil.example',
    'null',
    'https://app.example.org.evil.example',
    'http://app.example.org',
    'https://app.example.org:444',
    '',
  ])('from %j is refused', async (origin) => {
    expectEnvelope(edge, await from(origin), 403, 'forbidden');
  });

  test('from an allowed origin, or of the service itself, is served and may read the answer', async () => {
    for (const origin of [ALLOWED_ORIGIN, edge.url]) {
      const answer = await from(origin);
      expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['vary']]).toEqual([
        200,
        origin,
        'Origin',
      ]);
    }
  });

  test('of an allowed origin may read the reason of a refusal', async () => {
    const answer = await ask({ ...good(), key: null, headers: { ...good().headers, origin: ALLOWED_ORIGIN } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, ALLOWED_ORIGIN]);
  });

  test('gets an answer to its preflight request', async () => {
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const allowed = await ask({ method: 'OPTIONS', key: null, headers: { ...preflight, origin: ALLOWED_ORIGIN } });
    expect([allowed.status, allowed.headers['access-control-allow-methods']]).toEqual([204, 'POST']);
    expect(String(allowed.headers['access-control-allow-headers']).toLowerCase()).toContain('mcp-method');
    const foreign = await ask({
      method: 'OPTIONS',
      key: null,
      headers: { ...preflight, origin: 'https://evil.example' },
    });
    expect([foreign.status, foreign.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });
});
