import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge({ publicLimit: { requests: 1, seconds: 60 } });
});
afterAll(() => edge.close());

describe('getPrelaunchMcp and postPrelaunchMcp', () => {
  test.each<[string, string, RequestInit]>([
    ['a plain GET', '', {}],
    ['a query of any kind', '?a=1&a=1&%zz', {}],
    ['a POST without a body', '', { method: 'POST' }],
    [
      'a call of a tool',
      '',
      {
        method: 'POST',
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        headers: { 'content-type': 'application/json' },
      },
    ],
    ['malformed JSON', '', { method: 'POST', body: '{bad', headers: { 'content-type': 'application/json' } }],
    ['another media type', '', { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['a large body', '', { method: 'POST', body: 'x'.repeat(200_000) }],
    ['a credential that is none', '', { headers: { authorization: 'Basic x' } }],
    ['an Accept that admits nothing', '', { headers: { accept: 'image/png' } }],
  ])('answer %s with 403', async (_, query, init) => {
    await expectRefusal(await fetch(`${edge.url}/api/mcp${query}`, init), 403, 'mcp_prelaunch');
  });

  test('answer a good key with 403 too, and while identity cannot be looked up', async () => {
    edge.identity = 'failing';
    for (const method of ['GET', 'POST']) {
      const headers = { authorization: `Bearer ${edge.keys.all}` };
      await expectRefusal(await fetch(`${edge.url}/api/mcp`, { method, headers }), 403, 'mcp_prelaunch');
    }
  });

  test('answer HEAD as GET, and other methods with 405', async () => {
    const head = await fetch(`${edge.url}/api/mcp`, { method: 'HEAD' });
    expect([head.status, head.headers.get('cache-control')]).toEqual([403, 'no-store']);
    const other = await fetch(`${edge.url}/api/mcp`, { method: 'DELETE' });
    expect(other.headers.get('allow')).toBe('GET, HEAD, POST');
    await expectRefusal(other, 405, 'invalid_parameter');
  });
});
