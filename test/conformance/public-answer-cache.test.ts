import { afterEach, describe, expect, test } from 'vitest';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicSuccess } from '../support/http-public.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';

const edges: HttpEdge[] = [];
afterEach(async () => {
  for (const edge of edges.splice(0)) await edge.close();
});
const recent = async (edge: HttpEdge, query = ''): Promise<unknown> =>
  ((await expectPublicSuccess(await fetch(`${edge.url}/api/v1/public/agenda-hits${query}`))) as { data: unknown }).data;

/**
 * An edge whose recent hits are the number of queries so far. The watch is awake: it has read the position and uses only answers that
 * were queried since then. `before` runs before each further answer.
 */
async function start(before = async (): Promise<void> => undefined): Promise<HttpEdge> {
  const edge = await startHttpEdge();
  edges.push(edge);
  let requests = -2;
  edge.answerWith({
    listRecentAgendaHits: async () => {
      requests += 1;
      const data = requests;
      if (data > 0) await before();
      return { text: JSON.stringify({ data }), items: 0 };
    },
  });
  expect(await recent(edge, '?topic=waking')).toBe(-1);
  await expect.poll(() => recent(edge, '?topic=waking')).toBe(0);
  edge.calls.length = 0;
  return edge;
}

describe('a public answer', () => {
  test('is queried once for all requests with the same meaning', async () => {
    const edge = await start();
    const words = ['?topicSlug=a&limit=3', '?topic=a', '?limit=9&topic=b&topicSlug=a', '?topic=%61'];
    for (const query of words) expect(await recent(edge, query)).toBe(1);
    expect(await recent(edge, '?topic=A')).toBe(2);
    expect(await recent(edge, '?topic=a&limit=2')).toBe(3);
  });

  test('is queried once for many concurrent requests', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: markReached } = Promise.withResolvers<void>();
    const edge = await start(() => {
      markReached();
      return released;
    });
    const all = Array.from({ length: 20 }, () => recent(edge));
    await reached;
    release();
    expect(new Set(await Promise.all(all))).toEqual(new Set([1]));
    expect(edge.calls).toHaveLength(1);
  });

  test('is cached for one second at most while the position does not move', async () => {
    const edge = await start();
    const began = edge.now;
    expect(await recent(edge)).toBe(1);
    edge.now = began + 100;
    expect(await recent(edge)).toBe(1);
    edge.now = began + 1_000;
    expect(await recent(edge)).toBe(2);
  });

  test('is queried again as soon as the watch sees the position move', async () => {
    const edge = await start();
    expect(await recent(edge)).toBe(1);
    edge.position = '1:1';
    await expect.poll(() => recent(edge)).toBe(2);
    expect(await recent(edge)).toBe(2);
  });

  test('is not cached while the position cannot be read', async () => {
    const edge = await start();
    expect(await recent(edge)).toBe(1);
    edge.position = new Error('lost');
    await expect.poll(() => recent(edge)).toBe(2);
  });

  test('whose query runs while the position moves is sent, but not cached', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: markReached } = Promise.withResolvers<void>();
    const edge = await start(() => {
      markReached();
      return released;
    });
    const underWay = recent(edge);
    await reached;
    edge.position = '1:1';
    // A request after the watch saw the move does not get an answer queried before it.
    await expect
      .poll(async () => {
        void recent(edge).catch(() => undefined);
        return edge.calls.length;
      })
      .toBeGreaterThan(1);
    release();
    expect(await underWay).toBe(1);
    expect(await recent(edge)).toBeGreaterThan(1);
  });

  test('from memory has an id, a log line and a count of its own', async () => {
    const edge = await start();
    expect(await recent(edge)).toBe(1);
    edge.logged.length = 0;
    const answers = await Promise.all([0, 1, 2].map(() => fetch(`${edge.url}/api/v1/public/agenda-hits`)));
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    await expect.poll(() => edge.logged.length).toBe(3);
    expect(new Set(edge.logged.map(({ fields }) => fields['requestId']))).toEqual(new Set(ids));
    expect(new Set(ids).size).toBe(3);
    expect(edge.logged[0]!.fields).toMatchObject({
      operation: 'listRecentAgendaHits',
      method: 'GET',
      status: 200,
      accountId: null,
    });
    const count = /duration_seconds_count\{operation="listRecentAgendaHits",status="200"\} (\d+)/.exec(
      await edge.registry.metrics(),
    )?.[1];
    expect(Number(count)).toBeGreaterThanOrEqual(4);
    expect(edge.calls).toHaveLength(1);
  });

  test('from memory is for GET and HEAD alone, and for one host', async () => {
    const edge = await start();
    const path = '/api/v1/public/agenda-hits';
    expect(await recent(edge)).toBe(1);
    const head = await fetch(edge.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', '']);
    expect((await fetch(edge.url + path, { method: 'POST' })).status).toBe(405);
    for (const host of ['', 'Host: a\r\nHost: b\r\n']) {
      const connection = await rawConnection(edge.port);
      connection.send(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
      expect(parseResponse(await connection.until(isWholeResponse)).status).toBe(400);
      connection.socket.destroy();
    }
    expect(edge.calls).toHaveLength(1);
  });
});
