import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';

/** Near the longest header that Node accepts. */
const LENGTH = 15_000;
const long = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);

describe('a header, path or query of 15,000 characters', () => {
  let edge: HttpEdge;
  beforeAll(async () => {
    edge = await startHttpEdge();
  });
  afterAll(() => edge.close());

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${edge.url}${path}`, { headers });

  test.each(['/', '/nothing'])('is not negotiated at %s: the answer is the one of a program', async (path) => {
    const html = await ask(path, { accept: 'text/html' });
    expect(html.headers.get('content-type')).toContain('text/html');
    const answer = await ask(path, { accept: `text/html,${long('*/*;q=0.1,')}` });
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.status).toBe(html.status);
  });

  test('chooses no coding', async () => {
    const answer = await ask('/api/v1/public/coverage', { 'accept-encoding': `gzip,${long('b,')}` });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null]);
  });

  test('lists no media type for a tool', async () => {
    const headers = { authorization: `Bearer ${edge.keys.all}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const accept = `application/json, text/event-stream${long(',')}`;
    const { status } = await fetch(`${edge.url}/api/v1/mcp`, { method: 'POST', headers: { ...headers, accept }, body });
    expect(status).toBe(406);
  });

  test.each(['/', '/api/v1/public/coverage'])('has too many parameters at %s', async (path) => {
    const parameters = Array.from({ length: 1_700 }, (_, n) => `p${n}=`).join('&');
    const answer = await ask(`${path}?${parameters}`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('more than 100 parameters')]);
    expect((await ask(`${path}?${parameters}`, { accept: 'text/html' })).status).toBe(400);
  });

  test('takes no more time percent-encoded', async () => {
    const timeOf = async (path: string): Promise<number> => {
      const before = process.cpuUsage();
      for (let bytesSent = 0; bytesSent < 100; bytesSent += 1) expect((await ask(path)).status).toBe(404);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await timeOf('/warm');
    // The best of five counts: a collection of garbage belongs to neither.
    const bestOf = async (path: string): Promise<number> => {
      const times: number[] = [];
      while (times.length < 5) times.push(await timeOf(path));
      return Math.min(...times);
    };
    const plain = await bestOf(`/${long('abc')}`);
    expect(await bestOf(`/${long('%41')}`)).toBeLessThan(3 * plain);
  });
});
