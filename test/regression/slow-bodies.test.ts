import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitDataReport } from '../../contract/submit-data-report.ts';
import { isWholeResponse, parseResponse, type RawConnection, rawConnection } from '../support/http-raw.ts';
import { type ServedCivic, serveNewCivic } from '../support/served-civic.ts';
import { currentRequest } from '../support/tool-requests.ts';

/** Longer than the body of an honest request takes. */
const LONG_MS = 1_100;

let served: ServedCivic;
beforeAll(async () => {
  served = await serveNewCivic();
});
afterAll(() => served?.close());

const BATCH = { requests: [{ resource: 'topics', ids: ['00000000-0000-4000-8000-000000000000'] }] };
const TOOLS = currentRequest('tools/list');
const REQUESTS: readonly (readonly [string, string, string, Readonly<Record<string, string>>])[] = [
  ['a batch', '/api/v1/data/batch', JSON.stringify(BATCH), {}],
  ['a subscription', '/api/v1/data/subscriptions', JSON.stringify({ name: 'mine' }), {}],
  [
    'a report',
    '/api/v1/data-reports',
    JSON.stringify(submitDataReport.example.body.agenda.value),
    { 'idempotency-key': 'a' },
  ],
  ['a tool call', '/api/v1/mcp', TOOLS.body, TOOLS.headers],
  ['invalid JSON', '/api/v1/data/batch', '{]', {}],
  ['invalid input', '/api/v1/data/batch', '{"requests":[]}', {}],
];

/** All but the last byte of a request has been sent. */
async function begun(path: string, key: string, text: string, headers: Readonly<Record<string, string>>) {
  const raw: RawConnection = await rawConnection(Number(new URL(served.baseUrl).port));
  const all = {
    host: 'x',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': text.length,
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  raw.send([`POST ${path} HTTP/1.1`, ...lines, '', text.slice(0, -1)].join('\r\n'));
  return async () => {
    raw.send(text.slice(-1));
    const { status } = parseResponse(await raw.until(isWholeResponse));
    raw.socket.destroy();
    return status;
  };
}

/** Resolves once so many requests of the account have been charged. */
const admitted = async (accountId: string, requests: number): Promise<void> => {
  const text = 'select minute_used as used from civic.admission_counts where account_id = $1::uuid and usable';
  const used = async () =>
    (await served.civic.database.read.rows<{ used: number }>({ text, values: [accountId] }))[0]?.used;
  await expect.poll(used, { timeout: 60_000 }).toBe(requests);
};

describe('a request whose body ends after the access did is refused', () => {
  test.each([
    ['a suspended account', 401, (accountId: string) => served.command(accountId, { type: 'SuspendAccount' })],
    [
      'an ended period',
      403,
      (accountId: string) =>
        served.command(accountId, { type: 'SetPeriod', tier: 'none', paidUntil: '2020-01-01T00:00:00.000Z' }),
    ],
    [
      'a revoked key',
      401,
      (accountId: string, keyId: string) => served.command(accountId, { type: 'RevokeKey', keyId }),
    ],
  ] as const)('of %s', async (what, status, end) => {
    const accountId = await served.openAccount({ tier: 'ultra' });
    const { keyId, secret } = await served.issueKey(accountId, { scopes: ['civic:read', 'civic:export', 'mcp:read'] });
    const finish = await Promise.all(REQUESTS.map(([, path, body, headers]) => begun(path, secret, body, headers)));
    await admitted(accountId, REQUESTS.length);
    await wait(LONG_MS);
    await end(accountId, keyId);
    const statuses = await Promise.all(finish.map((each) => each()));
    // Each tool decides who may call it.
    const tools = what === 'an ended period' ? 200 : status;
    expect(Object.fromEntries(REQUESTS.map(([name], index) => [name, statuses[index]]))).toEqual({
      'a batch': status,
      'a subscription': status,
      'a report': status,
      'a tool call': tools,
      'invalid JSON': status,
      'invalid input': status,
    });
  });
});

test('a slow body of an account in good standing is answered, and charged once', async () => {
  const accountId = await served.openAccount({ tier: 'ultra' });
  const { secret } = await served.issueKey(accountId);
  const finish = await begun('/api/v1/data/batch', secret, JSON.stringify(BATCH), {});
  await admitted(accountId, 1);
  await wait(LONG_MS);
  expect(await finish()).toBe(200);
  const { headers } = await served.ask('POST', '/batch', secret, { body: BATCH });
  const [quota, left] = [
    /"minute";q=(\d+)/.exec(headers.get('ratelimit-policy')!),
    /"minute";r=(\d+)/.exec(headers.get('ratelimit')!),
  ];
  expect(Number(quota![1]) - Number(left![1])).toBe(2);
});
