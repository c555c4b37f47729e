import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withNightly } from '../support/test-runs.ts';
import { type PrivateServer, startPrivateServer } from '../support/postgresql-server.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

const CADENCE = '/api/v1/public/jurisdictions/dallas/bodies/city-council/cadence';
const REQUESTS = 40;

let server: PrivateServer;
let installation: Installation;
let service: Service;
let key: string;
let matchId: string;
let topic: string;

let last = '';
const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.baseUrl}${path}`, { headers });
const json = async (response: Response) => (await response.json()) as { data: unknown; error?: { code: string } };
const ops = async (path: string) => (await fetch(`${service.opsUrl}${path}`)).status;
async function softFailures(): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const lines = text.matchAll(/^civic_soft_failures_total\{operation="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, operation, count]) => [operation!, Number(count)]));
}
async function answersWhole(): Promise<boolean> {
  const [recent, upcoming, detail, cadence, changes] = await Promise.all([
    get('/api/v1/public/agenda-hits'),
    get(`/api/v1/public/upcoming-agenda-hits?topicSlug=${topic}`),
    get(`/api/v1/public/agenda-hits/${matchId}`),
    get(CADENCE),
    get('/api/v1/data/changes?limit=1', { authorization: `Bearer ${key}` }),
  ]);
  const statuses = [recent, upcoming, detail, cadence, changes].map(({ status }) => status);
  last = statuses.join();
  const [hits, timezone] = [
    (await json(recent)).data as unknown[],
    ((await json(cadence)).data as { timezone: string | null }).timezone,
  ];
  return (
    statuses.every((status) => status === 200) && hits.length > 0 && timezone !== null && (await ops('/readyz')) === 200
  );
}

beforeAll(async () => {
  server = await startPrivateServer();
  installation = makeInstallation('civic-backend-');
  service = await installation.start({
    sample: 'on',
    env: {
      DATABASE_URL: await server.createDatabase('civic'),
      CIVIC_STATEMENT_TIMEOUT: 'PT2S',
      CIVIC_PUBLIC_LIMIT: `${REQUESTS}/1`,
    },
  });
  key = service.key!;
  await untilTrue('the sample has hits', async () => {
    const [hit] = (await json(await get('/api/v1/public/agenda-hits?jurisdictionSlug=sample-city'))).data as {
      topicSlug: string;
    }[];
    if (hit === undefined) return false;
    topic = hit.topicSlug;
    const page = (await json(await get(`/api/v1/public/upcoming-agenda-hits?topicSlug=${topic}`))).data as {
      hits: { matchId: string }[];
    };
    if (page.hits[0] === undefined) return false;
    ({ matchId } = page.hits[0]);
    return true;
  });
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
  await server?.stop();
});

const ENDS = withNightly(['kill'] as const, ['clean'] as const);

describe.each(ENDS)('with PostgreSQL gone (%s)', (how) => {
  test('public reads are empty and counted, customer routes and readiness answer 503, and all recover', async () => {
    expect(await answersWhole()).toBe(true);
    const before = await softFailures();
    await server.goDown(how);
    await untilTrue(
      'the loss is noticed',
      async () =>
        (await json(await get('/api/v1/public/agenda-hits'))).data instanceof Array &&
        (await softFailures())['listRecentAgendaHits'] !== before['listRecentAgendaHits'],
    );

    const noticed = await softFailures();
    for (const [path, body] of [
      ['/api/v1/public/agenda-hits', { data: [] }],
      [`/api/v1/public/upcoming-agenda-hits?topicSlug=${topic}`, { data: { hits: [], nextCursor: null } }],
      [`/api/v1/public/upcoming-agenda-hits?topicSlug=${topic}&count=true`, { data: { hits: [], totalCount: 0 } }],
      [`/api/v1/public/upcoming-agenda-hits?topicSlug=${topic}&page=2`, { data: { hits: [], totalCount: 0, page: 2 } }],
      [CADENCE, { data: { lastMetAt: null, nextScheduledAt: null } }],
    ] as const) {
      const response = await get(path);
      expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'no-store']);
      expect(await response.json()).toMatchObject(body);
    }
    const detail = await get(`/api/v1/public/agenda-hits/${matchId}`);
    expect([detail.status, detail.headers.get('cache-control'), (await json(detail)).error!.code]).toEqual([
      404,
      null,
      'not_found',
    ]);
    const statuses = await get('/api/v1/public/source-status');
    expect([statuses.status, statuses.headers.get('cache-control')]).toEqual([500, null]);
    expect((await get('/api/v1/public/coverage')).status).toBe(200);
    const counted = await softFailures();
    const grown = Object.entries(counted).map(([operation, count]) => [operation, count - (noticed[operation] ?? 0)]);
    expect(Object.fromEntries(grown)).toEqual({
      listRecentAgendaHits: 1,
      listUpcomingAgendaHits: 3,
      getPublicBodyCadence: 1,
      getAgendaHit: 1,
    });

    for (const path of ['/api/v1/data/changes', '/api/v1/data/health']) {
      const refused = await get(path, { authorization: `Bearer ${key}` });
      const { error } = await json(refused);
      expect([
        refused.status,
        error!.code,
        refused.headers.get('cache-control'),
        refused.headers.get('retry-after'),
      ]).toEqual([503, 'authentication_unavailable', 'no-store', null]);
    }
    expect([await ops('/readyz'), await ops('/livez')]).toEqual([503, 200]);

    await server.comeBack();
    await untilTrue('everything answers again', answersWhole, { tell: () => last });
    const settled = await softFailures();
    await get(CADENCE);
    expect(await softFailures()).toEqual(settled);
  });
});

test('public reads keep their limits in the process while PostgreSQL is unreachable', async () => {
  await server.goDown('kill');
  try {
    await untilTrue('the loss is noticed', async () => (await ops('/readyz')) === 503);
    const statuses = new Map<number, number>();
    await untilTrue('one is refused', async () => {
      const answers = await Promise.all(
        Array.from({ length: 3 * REQUESTS }, () => get(CADENCE, { 'x-forwarded-for': '198.51.100.7' })),
      );
      for (const { status, headers } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(headers.get('retry-after')).toBe(status === 429 ? '1' : null);
      }
      return statuses.has(429);
    });
    expect(new Set(statuses.keys())).toEqual(new Set([200, 429]));
    expect(statuses.get(200)).toBeGreaterThanOrEqual(REQUESTS);
  } finally {
    await server.comeBack();
  }
  await untilTrue('everything answers again', answersWhole, { tell: () => last });
});
