import { afterEach, describe, expect, test } from 'vitest';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicSuccess } from '../support/http-public.ts';

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
  let asked = -2;
  edge.answerWith({
    listRecentAgendaHits: async () => {
      asked += 1;
      const data = asked;
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

  test('is kept for one second at most while the position does not move', async () => {
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

  test('is not kept while the position cannot be read', async () => {
    const edge = await start();
    expect(await recent(edge)).toBe(1);
    edge.position = new Error('lost');
    await expect.poll(() => recent(edge)).toBe(2);
  });

  test('whose query runs while the position moves is sent, but not kept', async () => {
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
});
