import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { upcomingAgendaHits } from '../../contract/list-upcoming-agenda-hits.ts';
import { encodeUpcomingCursor } from '../../domain/cursor.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicRefusal, expectPublicSuccess } from '../support/http-public.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.calls.length = 0;
});

const get = (query: string) => fetch(`${edge.url}/api/v1/public/upcoming-agenda-hits${query}`);
const cursor = encodeUpcomingCursor({ startsAt: 1, classifiedAt: 1, hitId: '5f0c1a52-9d7e-5b1a-8c3e-2f4b6a7c8d90' });

describe('listUpcomingAgendaHits', () => {
  test.each([
    ['?topicSlug=zoning', { topicSlug: 'zoning', count: false }],
    ['?topic=zoning', { topicSlug: 'zoning', count: false }],
    ['?topic=a&topicSlug=b', { topicSlug: 'b', count: false }],
    [`?topic=zoning&cursor=${cursor}&count=true`, { topicSlug: 'zoning', cursor, count: true }],
    [`?topic=zoning&cursor=${'x'.repeat(200)}`, { topicSlug: 'zoning', cursor: 'x'.repeat(200), count: false }],
    ['?topic=zoning&page=1', { topicSlug: 'zoning', page: 1, count: false }],
    ['?topic=zoning&page=100&count=true', { topicSlug: 'zoning', page: 100, count: true }],
  ])('queries with %s', async (query, input) => {
    upcomingAgendaHits.parse(await expectPublicSuccess(await get(query)));
    expect(edge.calls).toEqual([{ name: 'listUpcomingAgendaHits', input }]);
  });

  test.each([
    ['no topic', ''],
    ['an empty topic', '?topicSlug='],
    ['both cursor and page', `?topic=a&cursor=${cursor}&page=1`],
    ['count=false', '?topic=a&count=false'],
    ['count=1', '?topic=a&count=1'],
    ['an empty count', '?topic=a&count='],
    ['a repeated count', '?topic=a&count=true&count=true'],
    ['an empty cursor', '?topic=a&cursor='],
    ['a cursor of 201 characters', `?topic=a&cursor=${'x'.repeat(201)}`],
    ['page 0', '?topic=a&page=0'],
    ['page 101', '?topic=a&page=101'],
    ['a page that is no number', '?topic=a&page=1e1'],
    ['a repeated topic', '?topic=a&topic=b'],
    ['an unknown parameter', '?topic=a&limit=10'],
  ])('refuses %s with 400 and queries nothing', async (_, query) => {
    await expectPublicRefusal(await get(query), 400, 'invalid_parameter');
    expect(edge.calls).toEqual([]);
  });

  test('answers an unknown topic and an invalid cursor with 400, not with a soft failure', async () => {
    edge.answerWith({
      listUpcomingAgendaHits: async () => {
        throw new Rejection('invalid_parameter', 'topicSlug is not a topic that is publicly covered');
      },
    });
    await expectPublicRefusal(await get('?topic=nonsense'), 400, 'invalid_parameter');
    expect(await edge.registry.metrics()).not.toMatch(/civic_soft_failures_total\{/);
  });
});
