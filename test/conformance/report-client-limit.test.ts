import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EDGE_NOW, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { idempotent, MISSING_RECORD } from '../support/missing-record.ts';

let edge: HttpEdge;
beforeEach(async () => {
  edge = await startHttpEdge({ reportClientLimit: { requests: 3, seconds: 60 } });
});
afterEach(() => edge.close());

const ask = (path: string, init: RequestInit = {}, authorization = `Bearer ${edge.keys.all}`) =>
  fetch(`${edge.url}/api/v1/data-reports${path}`, {
    ...init,
    headers: { authorization, ...(init.headers as Record<string, string>) },
  });
const read = (headers: Record<string, string> = {}, authorization?: string) =>
  ask(`/${randomUUID()}`, { headers }, authorization);
const submit = (headers: Record<string, string> = {}) =>
  ask('', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...idempotent(), ...headers },
    body: JSON.stringify(MISSING_RECORD),
  });

describe('a client address', () => {
  test('is refused over its limit with the seconds to the end of the window, and then accepted again', async () => {
    edge.now = EDGE_NOW + 12_300;
    for (let number = 0; number < 3; number += 1) expect((await read()).status).toBe(200);
    const refused = await read();
    expect(refused.headers.get('retry-after')).toBe('48');
    await expectRefusal(refused, 429, 'rate_limited');
    edge.now = EDGE_NOW + 60_000;
    expect((await read()).status).toBe(200);
  });

  test('is counted per operation, and no other operation is limited', async () => {
    for (let number = 0; number < 3; number += 1) await read();
    for (let number = 0; number < 3; number += 1) expect((await submit()).status).toBe(202);
    await expectRefusal(await submit(), 429, 'rate_limited');
    await expectRefusal(await read(), 429, 'rate_limited');
    const headers = { authorization: `Bearer ${edge.keys.all}` };
    expect((await fetch(`${edge.url}/api/v1/data/health`, { headers })).status).toBe(200);
  });

  test('is the rightmost of X-Forwarded-For that is not a trusted proxy, in any notation', async () => {
    for (const address of ['2001:db8::1', '[2001:DB8:0::1]:80', '10.0.0.1, 2001:db8::1']) {
      expect((await read({ 'x-forwarded-for': address })).status).toBe(200);
    }
    await expectRefusal(await read({ 'x-forwarded-for': '2001:0db8::0001, 127.0.0.2' }), 429, 'rate_limited');
    expect((await read({ 'x-forwarded-for': '2001:db8:0:1::2' })).status).toBe(200);
    expect((await read()).status).toBe(200);
  });

  test('is that of the connection if it is no trusted proxy, whatever the header contains', async () => {
    const direct = await startHttpEdge({
      reportClientLimit: { requests: 3, seconds: 60 },
      trustedProxies: ['192.0.2.1'],
    });
    try {
      const statuses: number[] = [];
      for (let nth = 0; nth < 5; nth += 1) {
        const headers = { authorization: `Bearer ${direct.keys.all}`, 'x-forwarded-for': `203.0.113.${nth}` };
        statuses.push((await fetch(`${direct.url}/api/v1/data-reports/${randomUUID()}`, { headers })).status);
      }
      expect(statuses).toEqual([200, 200, 200, 429, 429]);
    } finally {
      await direct.close();
    }
  });

  test('is checked before the key: bad keys count, and over the limit the key is not looked up', async () => {
    for (let number = 0; number < 3; number += 1)
      await expectRefusal(await read({}, 'Bearer none'), 401, 'unauthorized');
    edge.identity = 'failing';
    await expectRefusal(await read(), 429, 'rate_limited');
    expect(edge.calls).toEqual([]);
  });

  test('over the limit is refused until its window ends, without a call to the store', async () => {
    for (let number = 0; number < 4; number += 1) await read();
    edge.clients = 'failing';
    for (let number = 0; number < 5; number += 1) await expectRefusal(await read(), 429, 'rate_limited');
    edge.now += 60_000;
    await expectRefusal(await read(), 503, 'authentication_unavailable');
  });

  test('that cannot be counted is refused with 503 before the key is checked, without internal details', async () => {
    edge.clients = 'failing';
    for (const response of [await read(), await submit(), await read({}, 'Bearer none')]) {
      const { message } = await expectRefusal(response, 503, 'authentication_unavailable');
      expect(message).not.toContain('the counts are down');
    }
    expect(edge.calls).toEqual([]);
    edge.clients = 'working';
    expect((await read()).status).toBe(200);
  });
});
