import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listPublicSourceStatuses } from '../../contract/list-public-source-statuses.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
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

const get = (query: string) => fetch(`${edge.url}/api/v1/public/source-status${query}`);

describe('listPublicSourceStatuses', () => {
  test('answers statuses in the shape of the contract', async () => {
    const status = {
      jurisdictionName: 'Dallas',
      publicBodyName: 'City Council',
      sourceTypeLabel: 'Legistar',
      status: 'stale' as const,
      agendaTextEvidence: null,
      lastSuccessfulCheckAt: null,
      officialSourceUrl: 'https://example.org/',
    };
    edge.answerWith({ listPublicSourceStatuses: async () => [status] });
    expect(listPublicSourceStatuses.success.schema.parse(await expectPublicSuccess(await get(''))).data).toEqual([
      status,
    ]);
  });

  test.each([
    ['', {}],
    ['?jurisdiction=a&body=b', { jurisdictionSlug: 'a', bodySlug: 'b' }],
    ['?jurisdiction=a&jurisdictionSlug=c&bodySlug=d&body=b', { jurisdictionSlug: 'c', bodySlug: 'd' }],
  ])('queries with %s', async (query, input) => {
    await expectPublicSuccess(await get(query));
    expect(edge.calls).toEqual([{ name: 'listPublicSourceStatuses', input }]);
  });

  test.each(['?limit=1', '?body=', '?jurisdictionSlug=', '?body=a&body=b', '?topic=a'])(
    'refuses %s with 400',
    async (query) => {
      await expectPublicRefusal(await get(query), 400, 'invalid_parameter');
      expect(edge.calls).toEqual([]);
    },
  );

  test('is 500 when the backend fails, because its set is fixed and an empty list would be wrong', async () => {
    edge.answerWith({
      listPublicSourceStatuses: async () => {
        throw new DatabaseUnavailable('db-4 is down');
      },
    });
    expect(JSON.stringify(await expectPublicRefusal(await get(''), 500, 'internal_error'))).not.toContain('db-4');
  });
});
