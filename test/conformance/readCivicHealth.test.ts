import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { readCivicHealth } from '../../contract/read-civic-health.ts';
import { EMPTY_ANSWERS, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => edge.answerWith({}));

const read = (query = '') =>
  fetch(`${edge.url}/api/v1/data/health${query}`, { headers: { authorization: `Bearer ${edge.keys.read}` } });

test.each(['healthy', 'degraded', 'unavailable'] as const)(
  'a state of %s is answered 200, uncached',
  async (status) => {
    edge.answerWith({ readCivicHealth: async () => ({ ...(await EMPTY_ANSWERS.readCivicHealth()), status }) });
    const response = await read();
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(readCivicHealth.success.schema.parse(await response.json()).data.status).toBe(status);
  },
);

test('accepts no parameters', async () => {
  await expectRefusal(await read('?verbose=1'), 400, 'invalid_parameter');
  expect((await read('?')).status).toBe(200);
});

test('ignores the body of a GET, on a connection that then serves the next request', async () => {
  const statuses: (number | undefined)[] = [];
  for (const body of ['{"', 'x'.repeat(200_000)]) {
    const headers = { authorization: `Bearer ${edge.keys.read}`, 'content-type': ';;', 'content-length': body.length };
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const outgoing = request(`${edge.url}/api/v1/data/health`, { headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
    statuses.push(await promise);
  }
  expect(statuses).toEqual([200, 200]);
});
