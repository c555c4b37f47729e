import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../support/civic.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { MANY_CLIENTS, moveReport, newReport, plainMove, readReport, reportOf } from '../support/report-requests.ts';
import { type IssuedKey, serveNewCivic, type ServedCivic } from '../support/served-civic.ts';

let served: ServedCivic;
let account: string;
let key: IssuedKey;

beforeAll(async () => {
  served = await serveNewCivic(MANY_CLIENTS);
});
afterAll(async () => served?.close());
beforeEach(async () => {
  account = await served.openAccount();
  key = await served.issueKey(account, { scopes: ['civic:export'] });
});

const make = () => newReport(served, key.secret);
const read = (reportId: string, by = key) => readReport(served, by.secret, reportId);
const iso = (milliseconds = 0) => new Date(served.clock.now() + milliseconds).toISOString();
const records = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    itemId: randomUUID(),
    sourceUrl: `https://records.example.org/${nth}`,
    title: `Item ${nth}`,
  }));

describe('a report', () => {
  test('that is investigated has its status and the time of the next check', async () => {
    const { reportId, submittedAt } = await make();
    served.clock.advance(3_600_000);
    const nextCheckAt = iso(2 * DAY_MS);
    await moveReport(served, reportId, {
      ...plainMove(served, account, 'investigating'),
      reasonCode: 'publication_delay',
      nextAction: 'We ask the city.',
      nextCheckAt,
    });
    expect(await reportOf(served, key.secret, reportId)).toEqual({
      reportId,
      status: 'investigating',
      submittedAt,
      updatedAt: iso(),
      nextCheckAt,
      reasonCode: 'publication_delay',
      nextAction: 'We ask the city.',
      verifiedRecords: [],
    });
  });

  test('that is closed has its time, its finding, at most twenty records, and no next check', async () => {
    const { reportId, submittedAt } = await make();
    served.clock.advance(1000);
    const verifiedRecords = records(20);
    await moveReport(served, reportId, {
      ...plainMove(served, account, 'resolved'),
      reasonCode: 'connector_failure',
      finding: 'It is here now.',
      verifiedRecords,
    });
    expect(await reportOf(served, key.secret, reportId)).toEqual({
      reportId,
      status: 'resolved',
      submittedAt,
      updatedAt: iso(),
      closedAt: iso(),
      reasonCode: 'connector_failure',
      finding: 'It is here now.',
      verifiedRecords,
    });
  });

  test('keeps its reason, finding and next action until a move changes them', async () => {
    const { reportId } = await make();
    const plain = plainMove(served, account, 'investigating');
    const statement = {
      reasonCode: 'publication_delay',
      finding: 'It is late.',
      nextAction: 'We ask the city.',
    } as const;
    await moveReport(served, reportId, { ...plain, ...statement });
    await moveReport(served, reportId, { ...plain, from: 'investigating', to: 'awaiting_source' });
    expect(await reportOf(served, key.secret, reportId)).toMatchObject({ status: 'awaiting_source', ...statement });
    await moveReport(served, reportId, { ...plain, from: 'awaiting_source', finding: 'It was moved.' });
    expect(await reportOf(served, key.secret, reportId)).toMatchObject({
      status: 'investigating',
      ...statement,
      finding: 'It was moved.',
    });
    await moveReport(served, reportId, {
      ...plain,
      from: 'investigating',
      to: 'declined',
      reasonCode: 'duplicate_report',
      nextAction: 'None.',
    });
    expect(await reportOf(served, key.secret, reportId)).toMatchObject({
      status: 'declined',
      reasonCode: 'duplicate_report',
      finding: 'It was moved.',
      nextAction: 'None.',
    });
  });

  test('can be read by every key of its account and is unchanged while nothing moves it', async () => {
    const { reportId } = await make();
    const report = await reportOf(served, key.secret, reportId);
    const second = await served.issueKey(account, { scopes: ['mcp:read'] });
    served.clock.advance(400 * DAY_MS);
    await served.command(account, { type: 'SetPeriod', tier: 'pro', paidUntil: iso(DAY_MS) });
    expect(await reportOf(served, second.secret, reportId)).toEqual(report);
    const response = await read(reportId.toUpperCase());
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await response.json()).toEqual({ data: report });
  });
});

describe('is refused', () => {
  test('for a report of another account and for an unknown one, with the same text', async () => {
    const { reportId } = await make();
    const stranger = await served.issueKey(await served.openAccount());
    const theirs = await expectRefusal(await read(reportId, stranger), 404, 'report_not_found');
    expect(await expectRefusal(await read(randomUUID()), 404, 'report_not_found')).toEqual(theirs);
    expect(await expectRefusal(await read('00000000-0000-0000-0000-000000000000'), 404, 'report_not_found')).toEqual(
      theirs,
    );
  });

  test.each(['latest', '1', 'x'.repeat(4000), '%00', "'--", '0198c3c4-5d6e-7f80-8a9b-0c1d2e3f4a5', 'ÿ'])(
    'the id %s',
    async (reportId) => {
      await expectRefusal(await read(reportId), 400, 'invalid_input');
    },
  );

  test('for a query parameter, and for an id that is not valid percent-encoding', async () => {
    await expectRefusal(await read(`${randomUUID()}?verbose=1`), 400, 'invalid_input');
    await expectRefusal(await read('%ff'), 400, 'invalid_input');
  });

  test('for an account without a paid period, with 403 forbidden, before the id is checked', async () => {
    const { reportId } = await make();
    served.clock.advance(400 * DAY_MS);
    await expectRefusal(await read(reportId), 403, 'forbidden');
    await expectRefusal(await read('latest'), 403, 'forbidden');
  });
});

test('exactly thirty reads a minute are answered, over all keys and whatever is found', async () => {
  served.clock.advance(60_000 - (served.clock.now() % 60_000) + 21_500);
  const { reportId } = await make();
  const second = await served.issueKey(account);
  for (let number = 0; number < 28; number += 1)
    expect((await read(reportId, number % 2 === 0 ? key : second)).status).toBe(200);
  await expectRefusal(await read('latest'), 400, 'invalid_input');
  await expectRefusal(await read(randomUUID()), 404, 'report_not_found');
  // The tool calls the same function.
  expect(await served.civic.reportFunctions.getDataReport({ accountId: account, reportId })).toMatchObject({
    reportId,
  });
  for (const by of [key, second]) {
    const refused = await read(reportId, by);
    expect(refused.headers.get('retry-after')).toBe('39');
    await expectRefusal(refused, 429, 'status_rate_limited');
  }
  await expectRefusal(await read(randomUUID()), 429, 'status_rate_limited');
  const stranger = await served.issueKey(await served.openAccount());
  await expectRefusal(await read(reportId, stranger), 404, 'report_not_found');
  served.clock.advance(38_500);
  expect((await read(reportId)).status).toBe(200);
});

test('the answer announces what is left of the reads of the minute', async () => {
  const { reportId } = await make();
  served.clock.time += 60_000 - (served.clock.time % 60_000);
  const remaining = async () =>
    /"report-status-minute";r=(\d+);t=60/.exec((await read(reportId)).headers.get('ratelimit')!)?.[1];
  expect([await remaining(), await remaining()]).toEqual(['29', '28']);
});
