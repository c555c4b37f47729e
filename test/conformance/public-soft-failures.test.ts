import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ReadModelMissing } from '../../infra/postgresql/read-models/live-reads.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type EdgeFunctions, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicRefusal, expectPublicSuccess } from '../support/http-public.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.logged.length = 0;
});

const FAILURES: readonly unknown[] = [
  new DatabaseUnavailable('connect ECONNREFUSED db-4'),
  new DeadlineExceeded('too late'),
  new ReadModelMissing('agenda is not there yet'),
  new TypeError('a defect'),
  new Rejection('feed_unavailable', 'a refusal that no public operation has'),
  'no error at all',
];

const EMPTY = { limit: 10, returned: 0, nextCursor: null };
const SOFT: readonly (readonly [keyof EdgeFunctions, string, unknown])[] = [
  ['listRecentAgendaHits', '/api/v1/public/agenda-hits', { data: [] }],
  [
    'listUpcomingAgendaHits',
    '/api/v1/public/upcoming-agenda-hits?topic=a',
    { data: { hits: [], nextCursor: null }, meta: { pagination: EMPTY } },
  ],
  [
    'listUpcomingAgendaHits',
    '/api/v1/public/upcoming-agenda-hits?topic=a&count=true',
    { data: { hits: [], nextCursor: null, totalCount: 0 }, meta: { pagination: EMPTY } },
  ],
  [
    'listUpcomingAgendaHits',
    '/api/v1/public/upcoming-agenda-hits?topic=a&page=7',
    { data: { hits: [], totalCount: 0, page: 7, pageSize: 10 }, meta: { pagination: EMPTY } },
  ],
  [
    'getPublicBodyCadence',
    '/api/v1/public/jurisdictions/dallas/bodies/city-council/cadence',
    { data: { lastMetAt: null, nextScheduledAt: null, timezone: null } },
  ],
];
const DETAIL = '/api/v1/public/agenda-hits/5f0c1a52-9d7e-5b1a-8c3e-2f4b6a7c8d90';

const counted = async (operation: string): Promise<number> =>
  Number(
    new RegExp(`civic_soft_failures_total\\{operation="${operation}"\\} (\\d+)`).exec(
      await edge.registry.metrics(),
    )?.[1] ?? 0,
  );
const failWith = (name: keyof EdgeFunctions, error: unknown) =>
  edge.answerWith({
    [name]: async () => {
      throw error;
    },
  });

describe.each(FAILURES.map((error) => [String(error), error] as const))(
  'when the backend fails with %s',
  (_, error) => {
    test.each(SOFT)('%s answers %s empty, with 200 and no-store, and counts it', async (name, path, empty) => {
      const before = await counted(name);
      failWith(name, error);
      const response = await fetch(edge.url + path);
      const requestId = response.headers.get('x-request-id');
      expect(await expectPublicSuccess(response, 'no-store')).toEqual(empty);
      expect(await counted(name)).toBe(before + 1);
      expect(edge.logged).toContainEqual(
        expect.objectContaining({
          level: 'warn',
          fields: expect.objectContaining({ operation: name, requestId, err: error }) as unknown,
        }),
      );
    });

    test('the detail is 404 and counted, unlike an unknown hit', async () => {
      const before = await counted('getAgendaHit');
      await expectPublicRefusal(await fetch(edge.url + DETAIL), 404, 'not_found');
      expect(await counted('getAgendaHit')).toBe(before);
      failWith('getAgendaHit', error);
      await expectPublicRefusal(await fetch(edge.url + DETAIL), 404, 'not_found');
      expect(await counted('getAgendaHit')).toBe(before + 1);
    });

    test('the catalogue is 500 without internal details', async () => {
      edge.answerWith({
        listDfwResearchCoverage: () => {
          throw error;
        },
      });
      const refusal = await expectPublicRefusal(
        await fetch(`${edge.url}/api/v1/public/coverage`),
        500,
        'internal_error',
      );
      expect(JSON.stringify(refusal)).not.toContain('db-4');
    });
  },
);

test('a soft failure is not cached: the next request after the recovery is answered', async () => {
  const path = '/api/v1/public/agenda-hits?topic=back';
  const answers = [new DatabaseUnavailable('down'), { text: '{"data":[1]}', items: 1 }];
  edge.answerWith({
    listRecentAgendaHits: async () => {
      const next = answers.shift()!;
      if (next instanceof Error) throw next;
      return next;
    },
  });
  expect(await expectPublicSuccess(await fetch(edge.url + path), 'no-store')).toEqual({ data: [] });
  expect(await expectPublicSuccess(await fetch(edge.url + path))).toEqual({ data: [1] });
});

test('every failure is counted, and one a second is logged with the number of failures', async () => {
  const before = await counted('listRecentAgendaHits');
  failWith('listRecentAgendaHits', new DatabaseUnavailable('down'));
  const ask = async () => (await fetch(`${edge.url}/api/v1/public/agenda-hits`)).text();
  for (let time = 0; time < 5; time += 1) await ask();
  edge.now += 1_000;
  await ask();
  expect(await counted('listRecentAgendaHits')).toBe(before + 6);
  expect(edge.logged.filter(({ level }) => level === 'warn').map(({ fields }) => fields['failures'])).toEqual([1, 5]);
});

test('a cached answer is not used after the database is lost', async () => {
  edge.answerWith({ listRecentAgendaHits: async () => ({ text: '{"data":[1]}', items: 1 }) });
  const recent = async (directive?: string) =>
    expectPublicSuccess(await fetch(`${edge.url}/api/v1/public/agenda-hits`), directive);
  const untilKept = async (): Promise<void> => {
    for (let requests = -1; requests !== edge.calls.length; ) {
      requests = edge.calls.length;
      expect(await recent()).toEqual({ data: [1] });
    }
  };
  // Answers are not cached after a loss until the watch has read the position again: wait until it sees one move.
  await untilKept();
  const before = edge.calls.length;
  edge.position = 'moved';
  await expect.poll(async () => recent().then(() => edge.calls.length)).toBeGreaterThan(before);
  await untilKept();
  const moment = edge.now;
  const down = async () => {
    throw new DatabaseUnavailable('down');
  };
  edge.answerWith({ listRecentAgendaHits: down, getAgendaHit: down });
  edge.now = moment;
  expect(await recent()).toEqual({ data: [1] });
  await fetch(edge.url + DETAIL);
  expect(await recent('no-store')).toEqual({ data: [] });
});
