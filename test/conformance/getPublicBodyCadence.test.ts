import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGetPublicBodyCadence } from '../../queries/agenda/get-public-body-cadence.ts';
import { getPublicBodyCadence } from '../../contract/get-public-body-cadence.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import { COVERED_BODIES } from '../../src/sources/catalogue/catalogue-records.ts';
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

const get = (pair: string, query = '') => {
  const [slug, bodySlug] = pair.split('/');
  return fetch(`${edge.url}/api/v1/public/jurisdictions/${slug}/bodies/${bodySlug}/cadence${query}`);
};

/** Copied from the specification. */
const PAIRS = [
  'dallas/city-council',
  'dallas-county/commissioners-court',
  'ellis-county/commissioners-court',
  'fort-worth/city-council',
  'kaufman-county/commissioners-court',
  'parker-county/commissioners-court',
  'wise-county/commissioners-court',
];

const down = async () => {
  throw new DatabaseUnavailable('down');
};
const nothing = { rows: down, many: down };
const unreadable = { database: nothing, ...nothing };
const withoutDatabase = createGetPublicBodyCadence({
  reads: unreadable,
  clock: { now: () => 0, sleep: async () => undefined },
  pairs: COVERED_BODIES,
});

describe('getPublicBodyCadence', () => {
  test.each(PAIRS)('answers for %s, also when nothing can be read', async (pair) => {
    edge.answerWith({ getPublicBodyCadence: withoutDatabase });
    expect(await expectPublicSuccess(await get(pair), 'no-store')).toEqual({
      data: { lastMetAt: null, nextScheduledAt: null, timezone: null },
    });
  });

  test.each([
    'dallas/commissioners-court',
    'tarrant-county/commissioners-court',
    'Dallas/city-council',
    'dallas/city-council%20',
    'a/%00',
    '/city-council',
    'dallas/',
  ])('answers %s with 404, also when nothing can be read', async (pair) => {
    edge.answerWith({ getPublicBodyCadence: withoutDatabase });
    await expectPublicRefusal(await get(pair), 404, 'not_found');
  });

  test('answers dates and the time zone in the shape of the contract', async () => {
    const cadence = { lastMetAt: '2026-02-25T15:00:00.000Z', nextScheduledAt: null, timezone: 'America/Chicago' };
    edge.answerWith({ getPublicBodyCadence: async () => cadence });
    expect(getPublicBodyCadence.success.schema.parse(await expectPublicSuccess(await get(PAIRS[0]!))).data).toEqual(
      cadence,
    );
  });

  test('accepts no query parameter', async () => {
    await expectPublicRefusal(await get(PAIRS[0]!, '?x=1'), 400, 'invalid_parameter');
  });
});
