import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createReportClaims,
  createReportClientCounts,
  createReportQueue,
} from '../../infra/postgresql/leases/report-stores.ts';
import { openReports } from '../../queries/reports/report-figures.ts';
import { openTestCivic, TEST_TIME, type TestCivic } from '../support/civic.ts';
import { appendReports } from '../support/civic-reports.ts';
import { randomFrom } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

/** Several processes on one database, each with its own connections. */
let database: TestDatabase;
let programs: readonly TestCivic[];
const one = () => programs[0]!;

beforeAll(async () => {
  database = await startTestDatabase();
  programs = [await openTestCivic(database.url), await openTestCivic(database.url), await openTestCivic(database.url)];
});
afterAll(async () => {
  await Promise.all((programs ?? []).map((program) => program.close()));
  await database?.close();
});

describe('the queue', () => {
  const queues = () => programs.map(({ database: { transactor } }) => createReportQueue(transactor));
  const start = async (counted: number | null) => {
    await one().rows(`update civic.report_queue set counted = ${counted ?? 'null'}, recounts = 0, reserved = '{}'`);
  };
  const row = async () => {
    const [row] = await one().rows(
      'select counted::text, (select count(*) from jsonb_object_keys(reserved))::text from civic.report_queue',
    );
    return { counted: row![0], reserved: Number(row![1]) };
  };

  test('gives exactly its number of places to concurrent requests of several processes', async () => {
    await start(7);
    const reservations = Array.from({ length: 90 }, (_, nth) =>
      queues()[nth % 3]!.reserve({ reportId: randomUUID(), until: 1, limit: 20 }),
    );
    const granted = (await Promise.all(reservations)).filter(Boolean);
    expect(granted).toHaveLength(13);
    expect(await row()).toEqual({ counted: '7', reserved: 13 });
  });

  test('gives none before its first count', async () => {
    await start(null);
    const [queue] = queues();
    expect(await queue!.reserve({ reportId: randomUUID(), until: 1, limit: 20 })).toBe(false);
    expect(await queue!.recount({ open: 19, freed: [], seen: await queue!.look() })).toBe(true);
    expect(await queue!.reserve({ reportId: randomUUID(), until: 1, limit: 20 })).toBe(true);
    expect(await queue!.reserve({ reportId: randomUUID(), until: 1, limit: 20 })).toBe(false);
  });

  test('takes one place per report, and gives each back once', async () => {
    await start(0);
    const [queue] = queues();
    const reportId = randomUUID();
    for (let again = 0; again < 3; again += 1) await queue!.reserve({ reportId, until: 5, limit: 20 });
    expect((await queue!.look()).reserved).toEqual(new Map([[reportId, 5]]));
    for (let again = 0; again < 3; again += 1) await queue!.giveBack(reportId);
    expect(await row()).toEqual({ counted: '0', reserved: 0 });
    for (let again = 0; again < 3; again += 1) await queue!.count(reportId);
    expect(await row()).toEqual({ counted: '0', reserved: 0 });
  });

  test('is never corrected from a read that is older than another count', async () => {
    await start(0);
    const [queue, other] = queues();
    const reportId = randomUUID();
    await queue!.reserve({ reportId, until: 1, limit: 20 });
    const state = await other!.look();
    await queue!.count(reportId);
    expect(await other!.recount({ open: 0, freed: [reportId], seen: state })).toBe(false);
    expect(await row()).toEqual({ counted: '1', reserved: 0 });
  });

  test('keeps places that were reserved during a count', async () => {
    await start(3);
    const [queue, other] = queues();
    const state = await other!.look();
    await queue!.reserve({ reportId: randomUUID(), until: 1, limit: 20 });
    expect(await other!.recount({ open: 5, freed: [randomUUID()], seen: state })).toBe(true);
    expect(await row()).toEqual({ counted: '5', reserved: 1 });
  });

  test('never has fewer places than open and started reports, under concurrent operations', async () => {
    await start(0);
    const limit = 12;
    const visible = new Set<string>();
    let making = 0;
    let most = 0;
    const worker = async (nth: number, random: () => number): Promise<void> => {
      const queue = queues()[nth % 3]!;
      for (let turn = 0; turn < 25; turn += 1) {
        if (random() < 0.3) {
          const state = await queue.look();
          const open = visible.size;
          await queue.recount({ open, freed: [...state.reserved.keys()].filter((id) => visible.has(id)), seen: state });
        }
        const reportId = randomUUID();
        if (!(await queue.reserve({ reportId, until: Number.MAX_SAFE_INTEGER, limit }))) {
          // Closes one of them.
          const [closed] = visible;
          if (closed !== undefined) visible.delete(closed);
          continue;
        }
        making += 1;
        most = Math.max(most, making + visible.size);
        if (random() < 0.3) {
          making -= 1;
          await queue.giveBack(reportId);
        } else {
          visible.add(reportId);
          making -= 1;
          await queue.count(reportId);
        }
      }
    };
    await Promise.all(Array.from({ length: 9 }, (_, nth) => worker(nth, randomFrom(nth + 1))));
    expect(most).toBeGreaterThan(limit / 2);
    expect(most).toBeLessThanOrEqual(limit);
  });
});

describe('a claim', () => {
  const claims = () => programs.map(({ database: { countRows } }) => createReportClaims(countRows));
  const token = (tokenKey = 'a') => ({
    accountId: '00000000-0000-4000-8000-000000000001',
    tokenKey,
    by: randomUUID(),
  });

  test('belongs to one process at a time, until its release or expiry', async () => {
    const mine = token();
    expect(await claims()[0]!.claim(mine, 1000, 0)).toBe(true);
    expect(await claims()[1]!.claim(token(), 2000, 1000)).toBe(false);
    expect(await claims()[1]!.claim(token('b'), 2000, 1000)).toBe(true);
    const theirs = token();
    expect(await claims()[1]!.claim(theirs, 3000, 1001)).toBe(true);
    await claims()[0]!.release(mine);
    expect(await claims()[2]!.claim(token(), 4000, 1002)).toBe(false);
    await claims()[1]!.release(theirs);
    expect(await claims()[2]!.claim(token(), 4000, 1002)).toBe(true);
  });

  test('is acquired by one of many concurrent requests, and leaves no row', async () => {
    const all = Array.from({ length: 30 }, () => token('c'));
    const claimResults = await Promise.all(all.map((each, nth) => claims()[nth % 3]!.claim(each, 1000, 0)));
    expect(claimResults.filter(Boolean)).toHaveLength(1);
    await one().rows(
      "insert into civic.report_claims values ('00000000-0000-4000-8000-000000000001', 'dead', gen_random_uuid(), -600000)",
    );
    await claims()[0]!.release(all[claimResults.indexOf(true)]!);
    expect(await one().rows("select token_key from civic.report_claims where token_key in ('c', 'dead')")).toEqual([]);
  });
});

describe('the counts of clients', () => {
  const counts = () => programs.map(({ database: { countRows } }) => createReportClientCounts(countRows));
  const limit = { requests: 20, seconds: 60 };

  test('allow exactly the limit of a window, over processes', async () => {
    const client = randomUUID();
    const now = TEST_TIME + 15_000;
    const requests = Array.from({ length: 90 }, (_, nth) => counts()[nth % 3]!.take(client, limit, now));
    const answers = await Promise.all(requests);
    expect(answers.filter((answer) => answer === null)).toHaveLength(20);
    expect(new Set(answers)).toEqual(new Set([null, 45]));
    expect(await counts()[0]!.take(randomUUID(), limit, now)).toBeNull();
    expect(await counts()[1]!.take(client, limit, TEST_TIME + 60_000)).toBeNull();
  });

  test('keep nothing of past windows, with any number of addresses', async () => {
    const [count] = counts();
    for (let number = 0; number < 50; number += 1) await count!.take(randomUUID(), limit, TEST_TIME + 600_000);
    await count!.take(randomUUID(), limit, TEST_TIME + 720_000);
    expect(
      await one().rows(
        `select count(*)::text from civic.report_client_counts where window_start <= ${TEST_TIME + 600_000}`,
      ),
    ).toEqual([['0']]);
  });
});

test('open reports are counted and listed as in the read model', async () => {
  const civic = one();
  civic.startProjector();
  for (let number = 0; number < 4; number += 1) await appendReports(civic.log, number, randomFrom(number));
  await civic.caughtUp(undefined, ['reports']);
  const generation = await civic.live('reports');
  const rows = await civic.rows(`select report_id::text, closed_at is null from civic.reports_g${generation}`);
  const ids = rows.map(([id]) => id!);
  const openIds = await openReports(civic.reads, [ids[0]!, randomUUID(), ids[5]!]);
  expect(openIds).toEqual({ open: rows.filter(([, open]) => open === 't').length, known: new Set([ids[0], ids[5]]) });
  expect(openIds.open).toBeGreaterThan(0);
  expect(openIds.open).toBeLessThan(rows.length);
  expect((await openReports(civic.reads, [])).known.has(ids[0]!)).toBe(false);
});
