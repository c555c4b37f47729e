import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { turnReportSwitch } from '../../commands/reports/turn-switch.ts';
import { REPORT_ROUTES } from '../../contract/data-report.ts';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import { DAY_MS } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { MISSING_RECORD, WHOLE_MISSING_RECORD } from '../support/missing-record.ts';
import {
  closeReport,
  intakeEvents,
  MANY_CLIENTS,
  newReport,
  receiptOf,
  reportOf,
  submitReport,
} from '../support/report-requests.ts';
import { type IssuedKey, serveCivic, type ServedCivic } from '../support/served-civic.ts';
import { askTools, currentRequest } from '../support/tool-requests.ts';

const MINUTE = 60_000;
/** Open reports of all accounts: more than one account may have. */
const CAP = 24;

let database: TestDatabase;
let served: ServedCivic;
/** A second program on the same database, like a second process. */
let other: ServedCivic;
let account: string;
let key: IssuedKey;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url, { ...MANY_CLIENTS, CIVIC_REPORT_QUEUE_LIMIT: String(CAP) });
  other = await serveCivic(database.url, { ...MANY_CLIENTS, CIVIC_REPORT_QUEUE_LIMIT: String(CAP) });
});
afterAll(async () => {
  await other?.close();
  await served?.close();
  await database?.close();
});
/** Each test starts without open reports of others and in an unused minute. */
async function begin(): Promise<void> {
  await settleAll();
  forward(2 * DAY_MS);
  account = await served.openAccount();
  key = await served.issueKey(account, { scopes: ['mcp:read'] });
}
beforeEach(begin);

const opened: { readonly account: string; readonly reportId: string }[] = [];
async function settleAll(): Promise<void> {
  await Promise.all(opened.splice(0).map(({ account: of, reportId }) => closeReport(served, of, reportId)));
}
function forward(milliseconds: number): void {
  served.clock.advance(milliseconds);
  other.clock.time = served.clock.time;
}
const submit = (token: string | undefined, body?: unknown, by = key, at = served) =>
  submitReport(at, by.secret, token, body);
async function make(token?: string, body?: unknown, by = key) {
  const receipt = await newReport(served, by.secret, token, body);
  opened.push({ account, reportId: receipt.reportId });
  return receipt;
}
/** Makes new reports, one per minute. */
async function fill(count: number): Promise<void> {
  for (let remaining = count; remaining > 0; remaining -= 1) {
    forward(MINUTE);
    await make();
  }
}

describe('a receipt', () => {
  test('states what was stored and the time of the next check, and the report can be read at once', async () => {
    const response = await submit('first', WHOLE_MISSING_RECORD);
    expect([response.headers.get('cache-control'), response.headers.get('content-type')]).toEqual([
      'no-store',
      'application/json; charset=utf-8',
    ]);
    const receipt = await receiptOf(Promise.resolve(response));
    opened.push({ account, reportId: receipt.reportId });
    const now = served.clock.now();
    expect(receipt).toEqual({
      reportId: receipt.reportId,
      status: 'received',
      statusUrl: `${served.baseUrl}/api/v1/data-reports/${receipt.reportId}`,
      submittedAt: new Date(now).toISOString(),
      nextCheckAt: new Date(now + DAY_MS).toISOString(),
    });
    const { submittedAt, nextCheckAt } = receipt;
    const report = {
      reportId: receipt.reportId,
      status: 'received',
      submittedAt,
      updatedAt: submittedAt,
      nextCheckAt,
      verifiedRecords: [],
    };
    expect(await reportOf(served, key.secret, receipt.reportId)).toEqual(report);
    expect((await fetch(receipt.statusUrl, { headers: { authorization: `Bearer ${key.secret}` } })).status).toBe(200);
  });

  test('matches a stored report with its account and key, and with nothing that was not sent', async () => {
    const receipt = await make('audited', WHOLE_MISSING_RECORD);
    const [{ type, data, metadata } = {}] = await intakeEvents(served, account);
    expect({ type, data }).toMatchObject({
      type: 'DataReportSubmitted',
      data: {
        reportId: receipt.reportId,
        token: 'audited',
        input: WHOLE_MISSING_RECORD,
        keyId: key.keyId,
        surface: 'rest',
      },
    });
    expect(metadata).toMatchObject({ accountId: account, keyId: key.keyId });
    expect(metadata?.['requestId']).toMatch(/-\d+$/);
  });

  test('is the first one again for the same token and input, from any key, later and while intake is closed', async () => {
    const receipt = await make('again', WHOLE_MISSING_RECORD);
    const shuffled = `{ "expectedRecord" : ${JSON.stringify(WHOLE_MISSING_RECORD.expectedRecord)},${JSON.stringify(WHOLE_MISSING_RECORD).slice(1)}`;
    const second = await served.issueKey(account, { scopes: ['civic:read'] });
    forward(3 * DAY_MS);
    for (const [body, by, at] of [
      [WHOLE_MISSING_RECORD, key, served],
      [Object.fromEntries(Object.entries(WHOLE_MISSING_RECORD).toReversed()), key, served],
      [shuffled, key, served],
      [WHOLE_MISSING_RECORD, second, served],
      [WHOLE_MISSING_RECORD, key, other],
    ] as const) {
      expect(await receiptOf(submit('again', body, by, at))).toEqual(receipt);
    }
    expect((await intakeEvents(served, account)).map(({ type }) => type)).toEqual([
      'DataReportSubmitted',
      'DataReportTokenAliased',
    ]);
  });

  test('is per account: the same token of another account makes another report', async () => {
    const receipt = await make('shared');
    const stranger = await served.openAccount();
    const theirs = await receiptOf(submit('shared', MISSING_RECORD, await served.issueKey(stranger)));
    opened.push({ account: stranger, reportId: theirs.reportId });
    expect(theirs.reportId).not.toBe(receipt.reportId);
    await expectRefusal(
      await fetch(theirs.statusUrl, { headers: { authorization: `Bearer ${key.secret}` } }),
      404,
      'report_not_found',
    );
  });

  test('is the same for concurrent submissions of a token, also in another process, and counts once', async () => {
    const many = Array.from({ length: 24 }, (_, nth) =>
      submit('at-once', MISSING_RECORD, key, nth % 2 === 0 ? served : other),
    );
    const receipts = await Promise.all(many.map(receiptOf));
    opened.push({ account, reportId: receipts[0]!.reportId });
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
    expect((await intakeEvents(served, account)).map(({ type }) => type)).toEqual(['DataReportSubmitted']);
    for (let remaining = 4; remaining > 0; remaining -= 1) await make();
    await expectRefusal(await submit('sixth'), 429, 'submit_rate_limited');
  });
});

describe('a token', () => {
  test('may have 128 letters, digits and marks, and begins with a letter or a digit', async () => {
    for (const token of ['a', 'Z', '0', 'a'.repeat(128), 'report-2026.04_14:001']) await make(token);
  });

  test('of any other form is 400, and nothing is stored', async () => {
    for (const token of [undefined, '', '-a', '.a', '_', ':', 'a b', 'a'.repeat(129), 'a/b', 'a,b', '"a"'])
      await expectRefusal(await submit(token), 400, 'invalid_input');
    expect(await intakeEvents(served, account)).toEqual([]);
  });

  test('is one header: two of them are 400', async () => {
    await expectRefusal(await submitReport(served, key.secret, 'a, b'), 400, 'invalid_input');
  });

  test('with any other input is 409', async () => {
    await make('taken', WHOLE_MISSING_RECORD);
    for (const body of [
      MISSING_RECORD,
      { ...WHOLE_MISSING_RECORD, requestId: 'other' },
      { ...WHOLE_MISSING_RECORD, expectedRecord: `${WHOLE_MISSING_RECORD.expectedRecord} ` },
      { ...WHOLE_MISSING_RECORD, queryContext: { surface: { kind: 'mcp', tool: 'search_agenda' } } },
    ]) {
      await expectRefusal(await submit('taken', body), 409, 'replay_conflict');
    }
    expect(await intakeEvents(served, account)).toHaveLength(1);
  });

  test('is accepted from at most 32 keys, and later still from those keys', async () => {
    const receipt = await make('many-keys');
    const keys: IssuedKey[] = [];
    for (let number = 2; number <= 33; number += 1) keys.push(await served.issueKey(account));
    const last = keys.pop()!;
    for (const each of keys) expect(await receiptOf(submit('many-keys', MISSING_RECORD, each))).toEqual(receipt);
    const refused = await submit('many-keys', MISSING_RECORD, last);
    expect(refused.headers.get('retry-after')).toBe('86400');
    await expectRefusal(refused, 429, 'report_limit_reached');
    expect(await receiptOf(submit('many-keys', MISSING_RECORD, keys[30]))).toEqual(receipt);
    await make('another', MISSING_RECORD, last);
  });

  test('sent by REST and by a tool gives two aliases of one report', async () => {
    const receipt = await make('both');
    const { submitDataReport } = served.civic.reportFunctions;
    const submission = {
      accountId: account,
      keyId: key.keyId,
      token: 'both',
      input: MISSING_RECORD,
      requestId: 'r',
      baseUrl: 'http://elsewhere',
    } as const;
    expect(await submitDataReport({ ...submission, surface: 'mcp' })).toEqual(receipt);
    expect(
      (await intakeEvents(served, account)).map(({ type, data }) => [type, 'surface' in data && data.surface]),
    ).toEqual([
      ['DataReportSubmitted', 'rest'],
      ['DataReportTokenAliased', 'mcp'],
    ]);
  });
});

describe('a limit', () => {
  test('of five submissions a minute counts refused ones, over all keys and processes, and no replay', async () => {
    const second = await served.issueKey(account);
    forward(MINUTE - (served.clock.now() % MINUTE) + 13_000);
    const receipt = await make('one');
    await expectRefusal(await submit('one', WHOLE_MISSING_RECORD), 409, 'replay_conflict');
    await make('two', MISSING_RECORD, second);
    await receiptOf(submit('three', MISSING_RECORD, key, other)).then(({ reportId }) =>
      opened.push({ account, reportId }),
    );
    for (let again = 0; again < 3; again += 1) expect(await receiptOf(submit('one'))).toEqual(receipt);
    await expectRefusal(await submit('bad', {}), 400, 'invalid_input');
    await make('four');
    const refused = await submit('five');
    expect(refused.headers.get('retry-after')).toBe('47');
    await expectRefusal(refused, 429, 'submit_rate_limited');
    expect(await receiptOf(submit('one'))).toEqual(receipt);
    forward(47_000);
    await make('five');
  });

  test('of twenty new reports ends with the day (UTC), also for reports that are resolved', async () => {
    forward(DAY_MS - (served.clock.now() % DAY_MS));
    for (let number = 0; number < 20; number += 1) {
      await fill(1);
      await settleAll();
    }
    forward(MINUTE);
    const refused = await submit('twenty-first');
    expect(refused.headers.get('retry-after')).toBe('86400');
    await expectRefusal(refused, 429, 'report_limit_reached');
    forward(DAY_MS - (served.clock.now() % DAY_MS) - 1);
    await expectRefusal(await submit('last-millisecond'), 429, 'report_limit_reached');
    forward(1);
    await make('next-day');
  });

  test('of twenty unresolved reports applies over days, until one is closed', async () => {
    await fill(10);
    forward(DAY_MS);
    await fill(10);
    forward(DAY_MS);
    const refused = await submit('one-more');
    expect(refused.headers.get('retry-after')).toBe('86400');
    await expectRefusal(refused, 429, 'report_limit_reached');
    await closeReport(served, account, opened.shift()!.reportId);
    await make('one-more');
  });

  test('of all open reports refuses every account until a report is closed', async () => {
    for (const count of [20, CAP - 20]) {
      await fill(count);
      account = await served.openAccount();
      key = await served.issueKey(account);
    }
    expect(opened).toHaveLength(CAP);
    for (const at of [served, other])
      await expectRefusal(await submit('no-room', MISSING_RECORD, key, at), 503, 'queue_unavailable');
    const closed = opened.shift()!;
    await closeReport(served, closed.account, closed.reportId);
    await make('no-room');
    await expectRefusal(await submit('no-room-again'), 503, 'queue_unavailable');
  });
});

describe('intake that is closed', () => {
  const turn = (paused: boolean) =>
    turnReportSwitch(served.civic, 'intake', { paused, by: 'test', reason: null }, served.clock.now() + MINUTE);

  test('by an operator refuses new reports in every process and answers repetitions of stored ones', async () => {
    const receipt = await make('before');
    await turn(true);
    try {
      expect(await receiptOf(submit('before'))).toEqual(receipt);
      for (const at of [served, other])
        await expectRefusal(
          await submit(`during ${at.baseUrl}`.replaceAll(/[^a-z0-9]/g, '-'), MISSING_RECORD, key, at),
          503,
          'intake_paused',
        );
    } finally {
      await turn(false);
    }
    await make('after');
  });

  test('by the budget of the day refuses new reports until the next day', async () => {
    const day = Math.floor(served.clock.now() / DAY_MS);
    const client = new Client(database.url);
    await client.connect();
    await client.query('insert into civic.report_budget (day, begun) values ($1, 1)', [day]);
    await client.end();
    const spent = await serveCivic(database.url, { ...MANY_CLIENTS, CIVIC_REPORT_DAILY_BUDGET: '1' });
    try {
      spent.clock.time = served.clock.time;
      await expectRefusal(await submit('spent', MISSING_RECORD, key, spent), 503, 'budget_exhausted');
      spent.clock.time = (day + 1) * DAY_MS;
      const { reportId } = await receiptOf(submit('spent', MISSING_RECORD, key, spent));
      opened.push({ account, reportId });
    } finally {
      await spent.close();
    }
  });
});

describe('access', () => {
  test('needs any active key of an account with a paid period, with any scopes', async () => {
    for (const scope of ['civic:read', 'civic:export', 'mcp:read'] as const) {
      await make(scope.replace(':', '.'), MISSING_RECORD, await served.issueKey(account, { scopes: [scope] }));
    }
  });

  test('ends with the paid period: 403 forbidden, no billing code, before the input is checked', async () => {
    const unpaid = await served.openAccount({ paidUntil: new Date(served.clock.now() - 1).toISOString() });
    const theirs = await served.issueKey(unpaid);
    await expectRefusal(await submit('x', '{', theirs), 403, 'forbidden');
    expect(await intakeEvents(served, unpaid)).toEqual([]);
  });
});

describe('the context of a search', () => {
  test('may be every route of a search and every tool', async () => {
    const surfaces = [
      ...REPORT_ROUTES.map((route) => ({ kind: 'rest', route })),
      ...TOOL_NAMES.map((tool) => ({ kind: 'mcp', tool })),
    ];
    for (const surface of surfaces) {
      forward(MINUTE);
      await make(undefined, { ...MISSING_RECORD, queryContext: { surface } });
    }
    const stored = await intakeEvents(served, account);
    expect(stored.map(({ data }) => data)).toMatchObject(
      surfaces.map((surface) => ({ input: { queryContext: { surface } } })),
    );
  });
});

test('the answer announces what is left of the submissions of the minute and the day, and of unresolved reports', async () => {
  served.clock.time -= served.clock.time % DAY_MS;
  forward(DAY_MS - 10 * MINUTE);
  const remainingOf = async (token: string) => {
    const response = await submit(token);
    const body = (await response.json()) as { data?: { reportId: string } };
    if (body.data !== undefined) opened.push({ account, reportId: body.data.reportId });
    return {
      status: response.status,
      limits: response.headers.get('ratelimit')!,
      policy: response.headers.get('ratelimit-policy')!,
    };
  };
  const first = await remainingOf('allowance-1');
  expect(first.policy).toMatch(/"report-submit-minute";q=5;w=60, "report-day";q=20;w=86400, "report-unresolved";q=20$/);
  expect(first.limits).toMatch(
    /^"minute";.*"report-submit-minute";r=4;t=60, "report-day";r=19;t=600, "report-unresolved";r=19$/,
  );
  for (const nth of [2, 3, 4]) await remainingOf(`allowance-${nth}`);
  expect((await remainingOf('allowance-5')).limits).toContain(
    '"report-submit-minute";r=0;t=60, "report-day";r=15;t=600, "report-unresolved";r=15',
  );
  const refused = await remainingOf('allowance-6');
  expect(refused.status).toBe(429);
  expect(refused.limits).toMatch(/"report-submit-minute";r=0;t=60$/);
  // A repeated submission is charged nothing, and looks at none of them.
  expect((await remainingOf('allowance-1')).limits).not.toContain('report');
});

test('the tools announce the same allowances', async () => {
  const ask = async (name: string, args: object) => {
    const sending = currentRequest('tools/call', { params: { name, arguments: args } });
    return askTools({ url: served.baseUrl, key: key.secret, ...sending });
  };
  const { headers, text } = await ask('report_missing_data', {
    ...WHOLE_MISSING_RECORD,
    idempotencyToken: 'allowance-of-a-tool',
  });
  expect(headers['ratelimit']).toMatch(
    /"minute";r=\d+.*"report-submit-minute";r=4;.*"report-day";r=19;.*"report-unresolved";r=19/,
  );
  const reportId = /"reportId":"([^"]+)"/.exec(text)![1]!;
  opened.push({ account, reportId });
  expect((await ask('get_data_report', { reportId })).headers['ratelimit']).toContain('"report-status-minute";r=');
});
