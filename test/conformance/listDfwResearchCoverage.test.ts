import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { researchCoverage, type ResearchCoverage } from '../../contract/research-coverage.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicRefusal, expectPublicSuccess } from '../support/http-public.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.calls.length = 0;
});

const get = (query: string) => fetch(`${edge.url}/api/v1/public/coverage${query}`);
const read = async (query: string): Promise<ResearchCoverage> =>
  researchCoverage.parse(await expectPublicSuccess(await get(query)));

describe('listDfwResearchCoverage', () => {
  test('pages through 238 municipalities and 16 counties, each once, and one more with includeInactive', async () => {
    for (const [filter, total] of [
      ['', 254],
      ['&includeInactive=true', 255],
    ] as const) {
      const slugs: string[] = [];
      let page = await read(`?limit=20${filter}`);
      for (;;) {
        slugs.push(...page.data.map(({ jurisdictionSlug }) => jurisdictionSlug));
        const { nextCursor } = page.meta.pagination;
        if (nextCursor === null) break;
        page = await read(`?limit=20${filter}&cursor=${nextCursor}`);
      }
      expect([slugs.length, new Set(slugs).size, page.meta.pagination.total]).toEqual([total, total, total]);
    }
  });

  test('combines every filter with the others', async () => {
    const { data } = await read(
      '?jurisdictionSlug=dallas&county=dallas&family=city.council_agendas&includeInactive=false&limit=1',
    );
    expect(data.map(({ jurisdictionSlug, families }) => [jurisdictionSlug, families.length])).toEqual([['dallas', 1]]);
  });

  test('answers an unknown place with an empty page', async () => {
    expect((await read('?jurisdictionSlug=nowhere')).data).toEqual([]);
  });

  test.each([
    '?jurisdictionSlug=',
    `?jurisdictionSlug=${'x'.repeat(81)}`,
    '?county=dallas-county',
    '?county=Dallas',
    '?county=',
    '?family=council_agendas',
    '?family=city.nothing',
    '?includeInactive=yes',
    '?includeInactive=',
    '?limit=0',
    '?limit=21',
    '?limit=x',
    '?cursor=',
    '?cursor=nonsense',
    `?cursor=${'x'.repeat(4097)}`,
    '?county=dallas&county=dallas',
    '?page=1',
  ])('refuses %s with 400', async (query) => {
    await expectPublicRefusal(await get(query), 400, 'invalid_parameter');
  });

  test('accepts a cursor only with the filters and the limit that it was made for', async () => {
    const { nextCursor } = (await read('?limit=5')).meta.pagination;
    await read(`?limit=5&cursor=${nextCursor}`);
    for (const other of [
      'limit=6',
      'limit=5&county=dallas',
      'limit=5&includeInactive=true',
      'limit=5&family=city.ordinances',
    ]) {
      await expectPublicRefusal(await get(`?${other}&cursor=${nextCursor}`), 400, 'invalid_parameter');
    }
  });
});
