import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { recentAgendaHits } from '../../contract/list-recent-agenda-hits.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicRefusal, expectPublicSuccess, PUBLIC_HIT } from '../support/http-public.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.calls.length = 0;
});

const get = (query: string, init: RequestInit = {}) => fetch(`${edge.url}/api/v1/public/agenda-hits${query}`, init);
const inputs = () => edge.calls.map(({ input }) => input);

describe('listRecentAgendaHits', () => {
  test('answers hits in the shape of the contract, cacheable, with any credential', async () => {
    edge.answerWith({ listRecentAgendaHits: async () => ({ text: JSON.stringify({ data: [PUBLIC_HIT] }), items: 1 }) });
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      const body = await expectPublicSuccess(await get('', { headers }));
      expect(recentAgendaHits.parse(body).data).toEqual([PUBLIC_HIT]);
    }
  });

  test.each([
    ['', { limit: 3 }],
    ['?limit=2', { limit: 2 }],
    ['?limit=3', { limit: 3 }],
    ['?limit=4', { limit: 3 }],
    ['?limit=999999999999999', { limit: 3 }],
    [`?limit=${'9'.repeat(400)}`, { limit: 3 }],
    [
      '?jurisdiction=dallas&topic=zoning&excludeTopic=budget',
      { jurisdictionSlug: 'dallas', topicSlug: 'zoning', excludeTopicSlug: 'budget', limit: 3 },
    ],
    ['?jurisdiction=a&jurisdictionSlug=b', { jurisdictionSlug: 'b', limit: 3 }],
    ['?topicSlug=b&topic=a', { topicSlug: 'b', limit: 3 }],
    ['?excludeTopic=a&excludeTopicSlug=b', { excludeTopicSlug: 'b', limit: 3 }],
    ['?topicSlug=a%20b+c', { topicSlug: 'a b c', limit: 3 }],
  ])('queries with %s', async (query, input) => {
    await expectPublicSuccess(await get(query));
    expect(inputs()).toEqual([input]);
  });

  test.each([
    '?limit=0',
    '?limit=-1',
    '?limit=1.5',
    '?limit=01',
    '?limit=abc',
    '?limit=',
    '?limit=1&limit=1',
    '?limit=1&li%6dit=1',
    '?topicSlug=',
    '?topic=',
    '?topicSlug=a&topic=',
    '?topic=a&topic=b',
    '?topicSlug=a&topicSlug=a',
    '?unknown=1',
    '?cursor=x',
    '?Limit=1',
    '?topicSlug=%zz',
    '?topicSlug=%ff',
    '?__proto__=1',
  ])('refuses %s with 400 and queries nothing', async (query) => {
    await expectPublicRefusal(await get(query), 400, 'invalid_parameter');
    expect(inputs()).toEqual([]);
  });
});
