import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope } from '../../contract/error-codes.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge({ timeouts: { headers: 400, request: 800 } });
});
afterAll(() => edge.close());
afterEach(() => edge.answerWith({}));

function expectEnvelope(received: string, status: number, code: string, cache: 'no-store' | 'none' = 'no-store') {
  const response = parseResponse(received);
  expect(response.status).toBe(status);
  expect(errorEnvelope.parse(JSON.parse(response.body)).error.code).toBe(code);
  expect(response.headers['cache-control']).toBe(cache === 'none' ? undefined : cache);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['retry-after']).toBeUndefined();
}

async function exchange(text: string): Promise<string> {
  const raw = await rawConnection(edge.port);
  raw.send(text);
  return raw.ended();
}

const authorized = (line: string, ...headers: string[]) =>
  [line, 'host: x', `authorization: Bearer ${edge.keys.all}`, ...headers, '', ''].join('\r\n');

test('a body over the limit on a connection that closes is read to its end before it is refused', async () => {
  const raw = await rawConnection(edge.port);
  const bytes = 4_000_000;
  const headers = ['content-type: application/json', `content-length: ${bytes}`, 'connection: close'];
  raw.send(authorized('POST /api/v1/data/subscriptions HTTP/1.1', ...headers));
  let received = false;
  raw.socket.once('data', () => (received = true));
  raw.send('a'.repeat(bytes - 1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toBe(false);
  raw.send('a');
  expectEnvelope(await raw.ended(), 413, 'request_too_large');
});

test.each([
  ['listFeedSubscriptions', 'GET', ''],
  ['revokeFeedSubscription', 'DELETE', '/0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11'],
] as const)('a lost store is 503 authentication_unavailable for %s', async (operation, method, path) => {
  for (const failure of [new DatabaseUnavailable('away'), new LogUnavailable('away')]) {
    edge.answerWith({
      [operation]: () => {
        throw failure;
      },
    });
    const line = `${method} /api/v1/data/subscriptions${path} HTTP/1.1`;
    expectEnvelope(await exchange(authorized(line, 'connection: close')), 503, 'authentication_unavailable');
  }
});

describe('input that is not an HTTP request is refused in the envelope, and the connection ends', () => {
  test.each([
    ['a line of nonsense', 'hello\r\n\r\n'],
    ['a TLS greeting', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc'],
    ['a method that does not exist', 'FETCH /api/v1/data/health HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a header without a colon', 'GET /api/v1/data/health HTTP/1.1\r\nhost x\r\n\r\n'],
    [
      'a body of two lengths',
      'POST /api/v1/data/batch HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na',
    ],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('%s is 400', async (_, text) => {
    expectEnvelope(await exchange(text), 400, 'invalid_parameter');
  });

  test('on a public path the refusal has no cache directive', async () => {
    expectEnvelope(
      await exchange('GET /api/v1/public/coverage HTTP/1.1\r\nhost x\r\n\r\n'),
      400,
      'invalid_parameter',
      'none',
    );
  });

  test('headers over the limit are 413', async () => {
    expectEnvelope(
      await exchange(authorized('GET /api/v1/data/health HTTP/1.1', `x: ${'a'.repeat(20_000)}`)),
      413,
      'request_too_large',
    );
  });

  test('a request target over the limit is 413', async () => {
    expectEnvelope(
      await exchange(authorized(`GET /api/v1/data/changes?cursor=${'a'.repeat(20_000)} HTTP/1.1`)),
      413,
      'request_too_large',
    );
  });

  test('headers that do not end are refused after their timeout', async () => {
    expectEnvelope(await exchange('GET /api/v1/data/health HTTP/1.1\r\nhost: x\r\n'), 400, 'invalid_parameter');
  });
});

describe('unusual but valid requests', () => {
  test('a request without Host is 400 in the envelope', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(`GET /api/v1/data/health HTTP/1.1\r\nauthorization: Bearer ${edge.keys.all}\r\n\r\n`);
    expectEnvelope(await raw.until(isWholeResponse), 400, 'invalid_parameter');
    raw.socket.destroy();
  });

  test('an unknown expectation is ignored', async () => {
    expect(
      parseResponse(await exchange(authorized('GET /api/v1/data/health HTTP/1.1', 'expect: tea', 'connection: close')))
        .status,
    ).toBe(200);
  });

  test('a target in absolute form means the same path', async () => {
    const received = await exchange(
      authorized('GET http://example.org/api/v1/data/health HTTP/1.1', 'connection: close'),
    );
    expect(parseResponse(received).status).toBe(200);
    expectEnvelope(
      await exchange(authorized('GET http://example.org/api/v1/data HTTP/1.1', 'connection: close')),
      404,
      'not_found',
    );
    const wrongMethod = authorized('DELETE http://example.org/api/v1/data/health HTTP/1.1', 'connection: close');
    expectEnvelope(await exchange(wrongMethod), 405, 'invalid_parameter');
  });

  test('an Upgrade header is ignored and the request is answered', async () => {
    const received = await exchange(
      authorized('GET /api/v1/data/nothing HTTP/1.1', 'connection: upgrade, close', 'upgrade: websocket'),
    );
    expectEnvelope(received, 404, 'not_found');
  });

  test('two requests sent at once on one connection are answered one after the other', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(
      authorized('GET /api/v1/data/health HTTP/1.1') +
        authorized('GET /api/v1/data/nothing HTTP/1.1', 'connection: close'),
    );
    const received = await raw.ended();
    expect(received.indexOf('HTTP/1.1 200')).toBe(0);
    expect(received.indexOf('HTTP/1.1 404')).toBeGreaterThan(0);
  });
});

describe('a request that is being answered', () => {
  test('is answered once and in full when invalid bytes follow it on the connection', async () => {
    const { promise: arrived, resolve: markAsked } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    edge.answerWith({
      readCivicHealth: async () => {
        markAsked();
        await released;
        return EMPTY_ANSWERS.readCivicHealth();
      },
    });
    const raw = await rawConnection(edge.port);
    raw.send(`${authorized('GET /api/v1/data/health HTTP/1.1')}hello\r\n\r\n`);
    await arrived;
    release();
    const received = await raw.ended();
    expect(parseResponse(received).status).toBe(200);
    expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('whose client disconnects does not affect the next request', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(
      authorized('POST /api/v1/data/batch HTTP/1.1', 'content-type: application/json', 'content-length: 500') + '{"req',
    );
    raw.socket.resetAndDestroy();
    expect(
      parseResponse(await exchange(authorized('GET /api/v1/data/health HTTP/1.1', 'connection: close'))).status,
    ).toBe(200);
  });
});

describe('closing the server', () => {
  test('answers running requests, accepts no new ones and then ends', async () => {
    const closing = await startHttpEdge();
    const { promise: arrived, resolve: markAsked } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    closing.answerWith({
      readCivicHealth: async () => {
        markAsked();
        await released;
        return EMPTY_ANSWERS.readCivicHealth();
      },
    });
    const idle = await rawConnection(closing.port);
    const running = await rawConnection(closing.port);
    running.send(`GET /api/v1/data/health HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${closing.keys.all}\r\n\r\n`);
    await arrived;
    const closed = closing.close();
    await idle.ended();
    await expect(rawConnection(closing.port)).rejects.toThrow('ECONNREFUSED');
    release();
    const received = await running.ended();
    expect([parseResponse(received).status, isWholeResponse(received)]).toEqual([200, true]);
    await closed;
  });

  test('ends requests that do not end within the limit', async () => {
    const closing = await startHttpEdge({ timeouts: { close: 50 } });
    const { promise: arrived, resolve: markAsked } = Promise.withResolvers<void>();
    closing.answerWith({
      readCivicHealth: () => {
        markAsked();
        return new Promise(() => undefined);
      },
    });
    const running = fetch(`${closing.url}/api/v1/data/health`, {
      headers: { authorization: `Bearer ${closing.keys.all}` },
    });
    await arrived;
    await Promise.all([closing.close(), expect(running).rejects.toThrow('fetch failed')]);
  });
});
