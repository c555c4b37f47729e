import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorEnvelope, STATUSES } from '../../contract/error-codes.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import { Rejection, type RejectionCode } from '../../domain/rejections.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.identity = 'working';
  edge.logged.length = 0;
});

const get = (path: string, init: RequestInit = {}) =>
  fetch(edge.url + path, {
    ...init,
    headers: { authorization: `Bearer ${edge.keys.all}`, ...(init.headers as Record<string, string>) },
  });

const failing = (thrown: unknown) => async () => {
  throw thrown;
};

describe('the router', () => {
  test.each([
    '/api/v1/data',
    '/api/v1/data/nothing',
    '/api/v1/data-reports/a/b',
    '/api/v1/mcp/x',
    '/api/mcp/x',
    '/api/v1/data/changes/',
    '/api/v1/d%61ta/x',
  ])('answers %s with 404 in the envelope, uncached, with and without a key', async (path) => {
    await expectRefusal(await fetch(edge.url + path), 404, 'not_found');
  });

  test.each([
    '/nothing',
    '/api',
    '/api/v1/public/nothing',
    '/api/v1/database',
    '/api/v1/public/source-status;x=1',
    '/;x',
  ])('answers %s with 404 and no cache directive', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.has('cache-control')).toBe(false);
    expect(errorEnvelope.parse(await response.json()).error.code).toBe('not_found');
  });

  test.each([
    ['POST', '/api/v1/data/changes', 'GET'],
    ['HEAD', '/api/v1/data/changes', 'GET'],
    ['OPTIONS', '/api/v1/data/health', 'GET'],
    ['PROPFIND', '/api/v1/data/health', 'GET'],
    ['GET', '/api/v1/data/batch', 'POST'],
    ['GET', '/api/v1/data/snapshots', 'POST'],
    ['GET', '/api/v1/data-reports', 'POST'],
    ['DELETE', '/api/v1/data-reports/x', 'GET'],
    ['DELETE', '/api/v1/data/snapshots/00000000-0000-0000-0000-000000000000/topics', 'GET'],
    ['PUT', '/api/v1/data/snapshots/x/y', 'GET'],
    ['POST', '/api/v1/data/ch%61nges?x=1', 'GET'],
  ])('answers %s %s with 405 before it checks the key, and names the allowed methods', async (method, path, allow) => {
    const response = await fetch(edge.url + path, { method });
    expect(response.headers.get('allow')).toBe(allow);
    if (method === 'HEAD') {
      expect([response.status, response.headers.get('cache-control')]).toEqual([405, 'no-store']);
    } else {
      await expectRefusal(response, 405, 'invalid_parameter');
    }
  });

  test('answers a path that is not percent-encoded UTF-8 with 400', async () => {
    await expectRefusal(await get('/api/v1/data/%zz'), 400, 'invalid_parameter');
    await expectRefusal(await get('/api/v1/data/snapshots/%ff/topics'), 400, 'invalid_parameter');
  });

  test('answers a path parameter of any length as a bad parameter', async () => {
    await expectRefusal(await get(`/api/v1/data/snapshots/${'a'.repeat(5000)}/topics`), 400, 'invalid_parameter');
  });
});

describe('an error in the code behind the edge', () => {
  test.each([
    [new DeadlineExceeded('statement 17 on host db-4'), 504, 'timeout'],
    [new DatabaseUnavailable('connect ECONNREFUSED db-4'), 503, 'feed_unavailable'],
    [new LogUnavailable('connect ECONNREFUSED db-4'), 503, 'feed_unavailable'],
    [new OutcomeUnknown('lost db-4'), 503, 'feed_unavailable'],
    [new TypeError('secret of db-4'), 500, 'internal_error'],
  ])(
    '%s is answered as specified, contains nothing private and is logged with its request',
    async (error, status, code) => {
      edge.answerWith({ readCivicHealth: failing(error) });
      const response = await get('/api/v1/data/health');
      const requestId = response.headers.get('x-request-id');
      const refusal = await expectRefusal(response, status, code);
      expect(JSON.stringify(refusal)).not.toContain('db-4');
      expect(Object.keys(refusal.details as object)).toEqual(['docs']);
      expect(edge.logged).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ requestId, err: error }) as unknown }),
      );
    },
  );

  test('a thrown value that is not an Error is 500', async () => {
    edge.answerWith({ readCivicHealth: failing('private text') });
    expect(JSON.stringify(await expectRefusal(await get('/api/v1/data/health'), 500, 'internal_error'))).not.toContain(
      'private',
    );
  });

  test.each(Object.entries(STATUSES))(
    'a refusal %s is answered %i, with Retry-After on 429 only',
    async (code, status) => {
      edge.answerWith({
        readCivicHealth: () =>
          Promise.reject(new Rejection(code as RejectionCode, 'refused', { retryAfterSeconds: 0.2 })),
      });
      const response = await get('/api/v1/data/health');
      if (status === 429) expect(response.headers.get('retry-after')).toBe('1');
      await expectRefusal(response, status, code);
    },
  );
});

describe('an answered request', () => {
  test('is one log line with its route and no secret, for any request line', async () => {
    const response = await get(`/api/v1/data/health?key=${edge.keys.all}`);
    await response.text();
    const lines = edge.logged.filter(({ message }) => message === 'answered');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.fields).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      operation: 'readCivicHealth',
      method: 'GET',
      status: 400,
      accountId: edge.accountId,
    });
    expect(JSON.stringify(edge.logged)).not.toContain(edge.keys.all.slice(4, 20));
  });

  test('is reported with its duration in the log and in the histogram', async () => {
    const released = Promise.withResolvers<void>();
    edge.answerWith({
      readCivicHealth: async () => {
        await released.promise;
        return EMPTY_ANSWERS.readCivicHealth();
      },
    });
    const began = performance.now();
    const response = get('/api/v1/data/health');
    while (performance.now() - began < 30) await new Promise((turn) => setImmediate(turn));
    released.resolve();
    await (await response).text();
    await expect.poll(() => edge.logged.filter(({ message }) => message === 'answered')).toHaveLength(1);
    const [line] = edge.logged.filter(({ message }) => message === 'answered');
    expect(line!.fields['ms']).toBeGreaterThan(5);
    expect(line!.fields['ms']).toBeLessThanOrEqual(performance.now() - began);
    const sum = /civic_http_request_duration_seconds_sum\{operation="readCivicHealth",status="200"\} (\S+)/.exec(
      await edge.registry.metrics(),
    );
    expect(Number(sum![1])).toBeGreaterThan(0.005);
  });

  test('is counted by operation and status', async () => {
    await (await get('/api/v1/data/health')).text();
    await (await get('/api/v1/data/nothing')).text();
    const metrics = await edge.registry.metrics();
    expect(metrics).toMatch(
      /civic_http_request_duration_seconds_count\{operation="readCivicHealth",status="200"\} [1-9]/,
    );
    expect(metrics).toMatch(/civic_http_request_duration_seconds_count\{operation="none",status="404"\} [1-9]/);
  });
});

test('a target that the router cannot parse is logged and measured, and the next request is served', async () => {
  const fresh = await startHttpEdge();
  try {
    const refused = await fetch(`${fresh.url}/api/v1/data/%ff`);
    await expectRefusal(refused, 400, 'invalid_parameter');
    await expect.poll(() => fresh.logged.filter(({ message }) => message === 'answered')).toHaveLength(1);
    const [line] = fresh.logged.filter(({ message }) => message === 'answered');
    expect(line!.fields).toMatchObject({
      requestId: refused.headers.get('x-request-id'),
      operation: 'none',
      method: 'GET',
      status: 400,
      accountId: null,
    });
    const counted = 'civic_http_request_duration_seconds_count{operation="none",status="400"} 1';
    expect((await fresh.registry.metrics()).split('\n')).toContain(counted);
    expect((await fetch(`${fresh.url}/api/v1/data/health`)).status).toBe(401);
  } finally {
    await fresh.close();
  }
});

test('one in n successful answers is logged, and every refusal and failure with the request id of its answer', async () => {
  const sampled = await startHttpEdge({ logSampleEvery: 3 });
  try {
    const headers = { authorization: `Bearer ${sampled.keys.all}` };
    const health = async (query = '') => {
      const response = await fetch(`${sampled.url}/api/v1/data/health${query}`, { headers });
      await response.text();
      return response.headers.get('x-request-id')!;
    };
    const logged = () =>
      sampled.logged.filter(({ message }) => message === 'answered').map(({ fields }) => fields['requestId']);
    for (let request = 0; request < 6; request += 1) await health();
    expect(logged()).toHaveLength(2);
    const refused = [await health('?x=1'), await health('?y=1')];
    await expect.poll(() => logged().slice(2)).toEqual(refused);
    sampled.answerWith({ readCivicHealth: () => Promise.reject(new Error('defect')) });
    const failed = await health();
    await expect.poll(() => logged().slice(4)).toEqual([failed]);
  } finally {
    await sampled.close();
  }
});

test('of a flood of refusals 500 in a second are logged, and the number of the others', async () => {
  const flooded = await startHttpEdge();
  try {
    const refuse = async () => void (await (await fetch(`${flooded.url}/api/nothing`)).text());
    for (let round = 0; round < 13; round++) await Promise.all(Array.from({ length: 40 }, refuse));
    const answers = () => flooded.logged.filter(({ message }) => message === 'answered');
    await expect.poll(() => answers().length).toBe(500);
    flooded.now += 1_000;
    await refuse();
    await expect.poll(() => answers().length).toBe(501);
    expect(flooded.logged.find(({ message }) => message.startsWith('refusals'))?.fields).toEqual({ refusals: 20 });
  } finally {
    await flooded.close();
  }
});
