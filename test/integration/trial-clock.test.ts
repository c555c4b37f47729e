import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { trialClockOffset } from '../../infra/postgresql/leases/clocks.ts';
import { untilTrue } from '../support/civic.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { reactorsAtRest } from '../support/reactors-at-rest.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';

const AUTUMN = '2025-11-01T00:00:00.000Z';
const SPRING = '2026-03-15T00:00:00.000Z';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longer than anything here takes. */
const A_WHILE_MS = 10 * MINUTE_MS;

describe('the offset in a database', () => {
  test('is that of the first start at a time, for a later or concurrent start there, and without a time', async () => {
    const database = await startTestDatabase();
    const opened = await openDatabase({ dsn: database.url, statementTimeoutMs: 10_000 });
    const offset = (start: number | undefined, now: number) => trialClockOffset(opened.transactor, start, now);
    try {
      const now = 1_800_000_000_000;
      expect(await offset(undefined, now)).toBe(0);
      const [autumn, spring] = [Date.parse(AUTUMN), Date.parse(SPRING)];
      const together = await Promise.all([0, 40, 80, 120].map((later) => offset(autumn, now + later)));
      expect(new Set(together).size).toBe(1);
      expect([0, 40, 80, 120].map((later) => autumn - now - later)).toContain(together[0]);
      expect(await offset(autumn, now + DAY_MS)).toBe(together[0]);
      expect(await offset(undefined, now + DAY_MS)).toBe(together[0]);
      expect(await offset(spring, now + DAY_MS)).toBe(spring - now - DAY_MS);
      expect(await offset(undefined, now + 2 * DAY_MS)).toBe(spring - now - DAY_MS);
      expect(await offset(autumn, now + 2 * DAY_MS)).toBe(autumn - now - 2 * DAY_MS);
    } finally {
      await opened.close();
      await database.close();
    }
  });
});

describe('a service on trial', () => {
  let installation: Installation;
  let service: Service;
  let key: string;
  let started: number;

  const json = async <Value>(path: string): Promise<Value> =>
    (await (await service.fetch(path, { key })).json()) as Value;
  const checkedAt = async () =>
    Date.parse((await json<{ data: { checkedAt: string } }>('/api/v1/data/health')).data.checkedAt);
  const upcoming = async () =>
    (
      await json<{ data: { hits: { meetingAt: string }[] } }>(
        '/api/v1/public/upcoming-agenda-hits?topicSlug=short-term-rentals',
      )
    ).data.hits.map((hit) => Date.parse(hit.meetingAt));
  const changes = async (cursor?: string) => {
    type Page = {
      data: { items: { changedAt: string; recordId: string }[] };
      meta: { nextCursor: string; hasMore: boolean; replayExpiresAt: string };
    };
    const { data, meta } = await json<Page>(
      `/api/v1/data/changes?limit=500${cursor === undefined ? '' : `&cursor=${cursor}`}`,
    );
    return { ...data, ...meta };
  };
  const atHead = async () => {
    let page = await changes();
    while (page.hasMore) page = await changes(page.nextCursor);
    return page;
  };
  const isSoonAfter = (time: number, start: string): void => {
    expect(time).toBeGreaterThanOrEqual(Date.parse(start));
    expect(time).toBeLessThan(Date.parse(start) + A_WHILE_MS);
  };
  const serve = async (env: Record<string, string>, sample: 'on' | 'off' = 'off') => {
    service = await installation.start({ sample, env });
    key = service.key ?? key;
  };

  beforeAll(async () => {
    installation = makeInstallation('civic-trial-');
    await serve({ CIVIC_CLOCK_START: AUTUMN }, 'on');
    started = Date.now();
  });
  afterAll(async () => {
    await service?.stop();
    await installation?.close();
  });

  test('uses its configured time for events, cursors and upcoming meetings', async () => {
    const first = await changes();
    for (const { changedAt } of first.items) isSoonAfter(Date.parse(changedAt), AUTUMN);
    isSoonAfter(await checkedAt(), AUTUMN);
    isSoonAfter(Date.parse((await atHead()).replayExpiresAt) - 30 * DAY_MS, AUTUMN);
    await reactorsAtRest(installation.dataDir);
    await untilTrue('the sample is classified', async () => (await upcoming()).length > 0);
    const meetings = await upcoming();
    expect(meetings.length).toBeGreaterThan(0);
    for (const meetingAt of meetings) expect(meetingAt).toBeGreaterThan(Date.parse(AUTUMN));
    expect(Math.min(...meetings)).toBeLessThan(Date.parse(SPRING));
  });

  test('shares its time with a command without a time', async () => {
    const id = '6f0c2a52-51c0-4c1e-9a53-0c9a4b9f2f10';
    const { nextCursor } = await atHead();
    const data = { kind: 'agenda', title: 'Agenda', url: 'https://example.org/agenda.pdf' };
    const before = await checkedAt();
    const imported = await installation.civicHere(['records', 'import', '-'], {
      input: JSON.stringify({ op: 'upsert', resource: 'documents', id, data }),
    });
    expect(imported.exitCode).toBe(0);
    const change = (await changes(nextCursor)).items.find((each) => each.recordId === id)!;
    expect(Date.parse(change.changedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(change.changedAt)).toBeLessThanOrEqual(await checkedAt());
  });

  nightlyTest(
    'keeps its clock after a restart with the same time or none, moves with another, and logs each',
    async () => {
      for (const env of [{ CIVIC_CLOCK_START: AUTUMN }, {}] as Record<string, string>[]) {
        const before = [await checkedAt(), Date.now()] as const;
        await service.stop();
        await serve(env);
        const elapsed = Date.now() - before[1];
        const now = await checkedAt();
        expect([Object.keys(env), now - before[0] >= elapsed - 1000]).toEqual([Object.keys(env), true]);
        isSoonAfter(now, AUTUMN);
      }
      await service.stop();
      await serve({ CIVIC_CLOCK_START: SPRING });
      isSoonAfter(await checkedAt(), SPRING);
      expect(await upcoming()).toEqual([]);
      expect(Date.now() - started).toBeLessThan(A_WHILE_MS);
      expect((await service.stop()).stderr).toMatch(/"now":"2026-03-15T00:.*TRIAL CLOCK/);
      await serve({});
      isSoonAfter(await checkedAt(), SPRING);
      const { trialTime } = (await (await fetch(`${service.opsUrl}/ops/state`)).json()) as { trialTime: string };
      isSoonAfter(Date.parse(trialTime), SPRING);
    },
  );
});
