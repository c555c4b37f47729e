import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { getAgendaHit } from '../../contract/get-agenda-hit.ts';
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

const matchId = '5f0c1a52-9d7e-5b1a-8c3e-2f4b6a7c8d90';
const get = (path: string) => fetch(`${edge.url}/api/v1/public/agenda-hits/${path}`);
const operations = {
  getAgendaHit: async (id: string) => ({ text: JSON.stringify({ data: { ...PUBLIC_HIT, matchId: id } }), items: 1 }),
};

describe('getAgendaHit', () => {
  test('answers one hit with its id, for an id in upper or lower case', async () => {
    edge.answerWith(operations);
    for (const id of [matchId, matchId.toUpperCase()]) {
      const { data } = getAgendaHit.success.schema.parse(await expectPublicSuccess(await get(id)));
      expect(data).toEqual({ ...PUBLIC_HIT, matchId });
    }
  });

  test('accepts the all-zero and the all-f uuid', async () => {
    edge.answerWith(operations);
    for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
      await expectPublicSuccess(await get(id));
  });

  test('answers 404 for an unknown id, and queries it again on the next request', async () => {
    for (const time of [1, 2]) {
      await expectPublicRefusal(await get(matchId), 404, 'not_found');
      expect(edge.calls).toHaveLength(time);
    }
  });

  test.each(['nonsense', `${matchId}x`, matchId.replaceAll('-', ''), '%00', 'a'.repeat(3000)])(
    'refuses the id %s with 400',
    async (id) => {
      await expectPublicRefusal(await get(id), 400, 'invalid_parameter');
      expect(edge.calls).toEqual([]);
    },
  );

  test('accepts no query parameter', async () => {
    await expectPublicRefusal(await get(`${matchId}?limit=1`), 400, 'invalid_parameter');
  });
});
