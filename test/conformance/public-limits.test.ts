import { afterEach, describe, expect, test } from 'vitest';
import { EDGE_NOW, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicRefusal, expectPublicSuccess } from '../support/http-public.ts';

const edges: HttpEdge[] = [];
afterEach(async () => {
  for (const edge of edges.splice(0)) await edge.close();
});
async function start(requests = 3, trustedProxies = ['loopback']): Promise<HttpEdge> {
  const edge = await startHttpEdge({ publicLimit: { requests, seconds: 60 }, trustedProxies });
  edges.push(edge);
  return edge;
}
const get = (edge: HttpEdge, forwarded?: string, path = '/api/v1/public/agenda-hits', method = 'GET') =>
  fetch(edge.url + path, { method, headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded } });
async function statuses(edge: HttpEdge, times: number, ...rest: [string?, string?, string?]) {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push((await get(edge, ...rest)).status);
  return statuses;
}

describe('the limit of the public endpoints', () => {
  test('refuses requests over it with 429 and Retry-After, and answers again in the next window', async () => {
    const edge = await start();
    edge.now = EDGE_NOW + 20_500;
    expect(await statuses(edge, 3)).toEqual([200, 200, 200]);
    const refused = await get(edge);
    expect(refused.headers.get('retry-after')).toBe('40');
    await expectPublicRefusal(refused, 429, 'rate_limited');
    edge.now = EDGE_NOW + 59_999;
    expect((await get(edge)).headers.get('retry-after')).toBe('1');
    edge.now = EDGE_NOW + 60_000;
    await expectPublicSuccess(await get(edge));
  });

  test('is counted per endpoint', async () => {
    const edge = await start(1);
    const paths = [
      'agenda-hits',
      'upcoming-agenda-hits?topic=a',
      'coverage',
      'source-status',
      'jurisdictions/dallas/bodies/city-council/cadence',
    ];
    for (const path of paths) expect((await get(edge, undefined, `/api/v1/public/${path}`)).status).toBe(200);
    for (const path of paths) expect((await get(edge, undefined, `/api/v1/public/${path}`)).status).toBe(429);
  });

  test('counts all requests of an endpoint, including refused ones and HEAD', async () => {
    const edge = await start(4);
    expect((await get(edge, undefined, '/api/v1/public/agenda-hits?limit=0')).status).toBe(400);
    expect((await get(edge, undefined, '/api/v1/public/agenda-hits?limit=1')).status).toBe(200);
    expect((await get(edge, undefined, '/api/v1/public/agenda-hits', 'HEAD')).status).toBe(200);
    expect(await statuses(edge, 2)).toEqual([200, 429]);
  });

  test('counts all addresses of an IPv6 network of 64 bits as one client', async () => {
    const edge = await start(2);
    const network = ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:1:ffff::9'];
    const statuses = [];
    for (const address of [...network, '2001:db8:0:2::1']) statuses.push((await get(edge, address)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  test('is per client: the rightmost X-Forwarded-For entry that is not a trusted proxy, in any notation', async () => {
    const edge = await start(2, ['loopback', '10.0.0.0/8']);
    for (const one of ['203.0.113.7', '203.0.113.7, 10.0.0.1', ' 203.0.113.7:4711 ,10.1.2.3', '::ffff:203.0.113.7'])
      await get(edge, one);
    expect(await statuses(edge, 1, '203.0.113.7')).toEqual([429]);
    expect(await statuses(edge, 1, '198.51.100.1, 203.0.113.7')).toEqual([429]);
    expect(await statuses(edge, 1, '203.0.113.7, 203.0.113.8')).toEqual([200]);
    expect(await statuses(edge, 3, '2001:db8::1')).toEqual([200, 200, 429]);
    expect(await statuses(edge, 1, '[2001:DB8:0::1]:80')).toEqual([429]);
    expect(await statuses(edge, 1)).toEqual([200]);
  });

  test('ignores the header of a connection that is not from a trusted proxy', async () => {
    const edge = await start(2, ['192.0.2.1']);
    expect(await statuses(edge, 1, '203.0.113.7')).toEqual([200]);
    expect(await statuses(edge, 1, '203.0.113.8')).toEqual([200]);
    expect(await statuses(edge, 1, '203.0.113.9')).toEqual([429]);
    expect(await statuses(edge, 1)).toEqual([429]);
  });

  test('uses the address of the socket for an entry that is not an address', async () => {
    const edge = await start(2);
    expect(await statuses(edge, 1, 'unknown')).toEqual([200]);
    expect(await statuses(edge, 1, '203.0.113.7, x')).toEqual([200]);
    expect(await statuses(edge, 1)).toEqual([429]);
    expect(await statuses(edge, 1, '127.0.0.1')).toEqual([429]);
  });

  test('refuses without querying the backend', async () => {
    const edge = await start(1);
    await get(edge);
    edge.calls.length = 0;
    edge.answerWith({});
    await get(edge, undefined, '/api/v1/public/agenda-hits?topic=other');
    expect(edge.calls).toEqual([]);
  });

  test('is not charged for unknown paths and wrong methods', async () => {
    const edge = await start(1);
    expect(await statuses(edge, 3, undefined, '/api/v1/public/nothing')).toEqual([404, 404, 404]);
    expect(await statuses(edge, 2, undefined, '/api/v1/public/agenda-hits', 'POST')).toEqual([405, 405]);
    expect(await statuses(edge, 1)).toEqual([200]);
  });
});
