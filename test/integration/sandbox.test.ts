import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { readCivicHealth } from '../../contract/read-civic-health.ts';
import { paymentRequired, toolError } from '../../contract/tools/tool-results.ts';
import { HEALTH_PARTS } from '../../domain/health.ts';
import { expectPublicRefusal } from '../support/http-public.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { makePayer, type SentPayment } from '../support/payments.ts';
import { type Sandbox, startSandbox } from '../support/sandbox.ts';
import { serveNewCivic } from '../support/served-civic.ts';
import { plainEnvironment, runProgram } from '../support/service.ts';
import { withNightly } from '../support/test-runs.ts';

/** Milliseconds; short, so that a read beyond it takes no longer. */
const DEADLINE = { CIVIC_STATEMENT_TIMEOUT: 'PT5S' };
/** Settings of a real service, which a sandbox ignores. */
const REAL = { DATABASE_URL: 'postgres://127.0.0.1:1/real', CIVIC_DATA_DIR: '/nowhere' };
const CHANGES = '/api/v1/data/changes';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ ...DEADLINE, ...REAL });
});
afterAll(() => sandbox?.stop());
beforeEach(() => sandbox.ask('DELETE', '/failures'));

interface Page {
  readonly data: { readonly items: readonly { readonly recordId: string }[] };
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}
const read = (cursor?: string, limit = 500) =>
  sandbox.fetch(`${CHANGES}?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
const page = async (answer: Promise<Response>): Promise<Page> => {
  const response = await answer;
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
};
/** All changes after a cursor, and the cursor at the head. */
async function readAllIds(cursor?: string) {
  const ids: string[] = [];
  for (let next = cursor; ; ) {
    const { data, meta } = await page(read(next));
    ids.push(...data.items.map(({ recordId }) => recordId));
    next = meta.nextCursor;
    if (!meta.hasMore) return { ids, cursor: next };
  }
}
const fail = (operation: string, answer: unknown, more: object = {}) =>
  sandbox.ask('POST', '/failures', { operation, answer, ...more });
const publish = async (count = 1) =>
  (await sandbox.ask<{ documents: string[] }>('POST', '/changes', { count })).documents;

describe('a feed that a customer follows', () => {
  test('contains what the control of the sandbox publishes', async () => {
    const { cursor } = await readAllIds();
    const documents = await publish(3);
    expect((await readAllIds(cursor)).ids).toEqual(documents);
  });

  test('answers 410 to a cursor that a moved clock has expired, and a snapshot with the changes after it recovers', async () => {
    const { cursor } = await readAllIds();
    const late = await publish();
    const before = await sandbox.ask<{ now: string }>('GET', '');
    const { now } = await sandbox.ask<{ now: string }>('POST', '/clock', { advance: 'P31D' });
    expect(Date.parse(now) - Date.parse(before.now)).toBeGreaterThanOrEqual(31 * 86_400_000);
    await expectRefusal(await read(cursor), 410, 'cursor_expired');

    const { data } = (await (await sandbox.fetch('/api/v1/data/snapshots', { method: 'POST' })).json()) as {
      data: { snapshotId: string; boundaryCursor: string };
    };
    const documents = await page(sandbox.fetch(`/api/v1/data/snapshots/${data.snapshotId}/documents?limit=500`));
    expect(documents.data.items.map(({ recordId, id }: { recordId?: string; id?: string }) => recordId ?? id)).toEqual(
      expect.arrayContaining(late),
    );
    const after = await publish();
    expect((await readAllIds(data.boundaryCursor)).ids).toEqual(after);
  });

  test('has lost to pruning what nothing needs any more when the clock has passed the retention', async () => {
    await sandbox.ask('POST', '/source', { status: 'failing' });
    await sandbox.ask('POST', '/source', { status: 'healthy' });
    const { prunedRows } = await sandbox.ask<{ prunedRows: number }>('POST', '/clock', { advance: 'P31D' });
    expect(prunedRows).toBeGreaterThan(0);
  });

  test('answers 410 to every earlier cursor once the feed is renewed', async () => {
    const { cursor } = await readAllIds();
    const { feedId, previousFeedId } = await sandbox.ask<{ feedId: string; previousFeedId: string }>(
      'POST',
      '/feed/renew',
      {},
    );
    expect(feedId).not.toBe(previousFeedId);
    await expectRefusal(await read(cursor), 410, 'cursor_expired');
    expect((await read()).status).toBe(200);
  });
});

describe('plans of the sandbox', () => {
  test.each([
    [413, 'response_too_large', { max_response_bytes: 200 }],
    [429, 'rate_limited', { requests_per_minute: 1 }],
  ] as const)('make the service answer %i %s, until they are as built in again', async (status, code, ultra) => {
    await publish();
    await sandbox.ask('POST', '/plans', { ultra });
    await read();
    await expectRefusal(await read(), status, code);
    await sandbox.ask('POST', '/plans', {});
    await sandbox.ask('POST', '/clock', { advance: 'PT1M' });
    expect((await read()).status).toBe(200);
  });
});

describe('failures on request', () => {
  test('happen as often as requested', async () => {
    await fail('readCivicChanges', 503, { times: 2 });
    await expectRefusal(await read(), 503, 'feed_unavailable');
    expect((await sandbox.fetch('/api/v1/data/health')).status).toBe(200);
    await expectRefusal(await read(), 503, 'feed_unavailable');
    expect((await read()).status).toBe(200);
  });

  test('wait for a request that is admitted', async () => {
    expect((await read()).status).toBe(200);
    await fail('readCivicChanges', 503);
    await sandbox.ask('POST', '/plans', { ultra: { requests_per_minute: 1 } });
    await expectRefusal(await read(), 429, 'rate_limited');
    await sandbox.ask('POST', '/plans', {});
    await expectRefusal(await read(), 503, 'feed_unavailable');
  });

  test('may be a defect of the service', async () => {
    await fail('readCivicChanges', 500);
    await expectRefusal(await read(), 500, 'internal_error');
    expect((await read()).status).toBe(200);
  });

  test.each([503, 504])('of health with %i are its answer while the store is away', async (answer) => {
    await fail('readCivicHealth', answer);
    const away = await sandbox.fetch('/api/v1/data/health');
    expect(away.status).toBe(200);
    const { data } = readCivicHealth.success.schema.parse(await away.json());
    expect(data).toMatchObject({ status: 'unavailable', sources: [], pipeline: { head: null, failedWork: null } });
    expect(data.pipeline.unanswered).toEqual(HEALTH_PARTS);
    expect(await (await sandbox.fetch('/api/v1/data/health')).json()).toMatchObject({
      data: { pipeline: { head: expect.anything() as unknown } },
    });
  });

  test('end when they are deleted', async () => {
    await fail('readCivicChanges', 504, { times: 100 });
    await expectRefusal(await read(), 504, 'timeout');
    expect(await sandbox.ask('DELETE', '/failures')).toEqual({ failures: [] });
    expect((await read()).status).toBe(200);
  });

  test('of a cadence leave a pair that is not published 404, as an outage does', async () => {
    await fail('getPublicBodyCadence', 503, { times: 2 });
    const cadence = (pair: string) => sandbox.fetch(`/api/v1/public/jurisdictions/${pair}/cadence`);
    await expectPublicRefusal(await cadence('tarrant-county/bodies/commissioners-court'), 404, 'not_found');
    const published = await cadence('dallas/bodies/city-council');
    expect([published.status, await published.json()]).toEqual([
      200,
      { data: { lastMetAt: null, nextScheduledAt: null, timezone: null } },
    ]);
    expect(await sandbox.ask('GET', '')).toMatchObject({ failures: [] });
  });

  test('are the ones of the operation: a report cannot be taken, a public list is empty', async () => {
    await fail('submitDataReport', 503);
    const report = { sourceUrl: 'https://example.org/agendas/42', expectedRecord: 'An agenda' };
    const headers = { 'idempotency-key': 'sandbox-1', 'content-type': 'application/json' };
    const submit = () =>
      sandbox.fetch('/api/v1/data-reports', { method: 'POST', headers, body: JSON.stringify(report) });
    await expectRefusal(await submit(), 503, 'authentication_unavailable');
    expect((await submit()).status).toBe(202);

    await fail('listRecentAgendaHits', 503);
    const soft = await fetch(`${sandbox.service}/api/v1/public/agenda-hits?limit=7`);
    expect([soft.status, soft.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await soft.json()).toMatchObject({ data: [] });
  });

  test('slow an answer down by the delay, and beyond the deadline of the service answer 504', async () => {
    await fail('readCivicChanges', 'slow', { delay: 'PT2S' });
    const began = performance.now();
    expect((await read()).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(1_990);
    await fail('readCivicChanges', 'slow', { delay: 'PT1H' });
    await expectRefusal(await read(), 504, 'timeout');
  });

  test.each([
    ['of a key', 'readCivicChanges', `${CHANGES}?limit=5`],
    ['without a key', 'listDfwResearchCoverage', '/api/v1/public/coverage'],
  ])('cut an answer %s in half', async (_, operation, path) => {
    await fail(operation, 'cut');
    const answer = await sandbox.fetch(path);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    await (await sandbox.fetch(path)).text();
  });

  test('are refused with what is allowed', async () => {
    for (const [requested, allowed] of [
      [{ operation: 'readEverything', answer: 503 }, /one of .*readCivicChanges/],
      [{ operation: 'readCivicChanges', answer: 501 }, /503.*504.*slow.*cut/],
      [{ operation: 'readCivicChanges', answer: 'refused' }, /settlePayment/],
      [{ operation: 'readCivicChanges', answer: 'slow', delay: 'soon' }, /ISO 8601 duration/],
      [{ operation: 'readCivicChanges', answer: 503, times: 0 }, /times/],
    ] as const) {
      await expect(sandbox.ask('POST', '/failures', requested)).rejects.toThrow(allowed);
    }
    await expect(sandbox.ask('POST', '/clock', { advance: '-P1D' })).rejects.toThrow(/400.*ISO 8601 duration/);
    await expect(sandbox.ask('POST', '/plans', { ultra: { burst_limit: 0 } })).rejects.toThrow(
      /400.*requests_per_minute/,
    );
  });
});

test('health is degraded while a source fails', async () => {
  const status = async () =>
    ((await (await sandbox.fetch('/api/v1/data/health')).json()) as { data: { status: string } }).data.status;
  await sandbox.ask('POST', '/source', { status: 'failing' });
  expect(await status()).toBe('degraded');
  await sandbox.ask('POST', '/source', { status: 'healthy' });
  expect(await status()).toBe('healthy');
});

describe('a payment', () => {
  const query = { query: 'rezoning' };
  let client: Client;
  beforeAll(async () => {
    client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const requestInit = { headers: { authorization: `Bearer ${sandbox.payAsYouGoKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${sandbox.service}/api/v1/mcp`), { requestInit }));
  });
  afterAll(() => client?.close());
  const payer = makePayer();
  const call = async (payment?: SentPayment) => ({
    resultType: 'complete',
    ...(await client.callTool({
      name: 'search_agenda',
      arguments: query,
      ...(payment && { _meta: { 'x402/payment': payment } }),
    })),
  });
  const payment = async () => payer.pay(paymentRequired.parse(await call()).structuredContent);
  const codeOf = (answer: unknown) => toolError.parse(answer).structuredContent.error.code;

  test('settles, also where the clock of the sandbox is ahead', async () => {
    await sandbox.ask('POST', '/clock', { advance: 'P1D' });
    expect((await call(await payment()))._meta?.['x402/payment-response']).toMatchObject({ success: true });
  });
  test('that is refused at its settlement is not billed, and a new one settles', async () => {
    await fail('settlePayment', 'refused');
    expect(codeOf(await call(await payment()))).toBe('payment_settlement_failed');
    expect((await call(await payment()))._meta?.['x402/payment-response']).toMatchObject({ success: true });
  });
  test('whose outcome is unknown is looked at again, and the same payment is then answered', async () => {
    await fail('settlePayment', 'unknown');
    const response = await payment();
    expect(codeOf(await call(response))).toBe('payment_reconciliation_required');
    await expect
      .poll(async () => (await call(response))._meta, { interval: 1_000 })
      .toMatchObject({ 'x402/payment-response': { success: true } });
  });
});

test('a tool cannot read while its failure is requested', async () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_coverage', arguments: {} },
  });
  for (const [answer, code] of [
    [503, 'service_unavailable'],
    [504, 'timeout'],
  ]) {
    await fail('postMcpJsonRpc', answer);
    expect(await (await sandbox.fetch('/api/v1/mcp', { method: 'POST', headers, body })).text()).toContain(
      `"code":"${code}"`,
    );
  }
});

const curl = spawnSync('curl', ['--version']).status === 0;

nightlyTest.skipIf(!curl)('every line of the sandbox guide gives the documented status (needs curl)', async () => {
  const text = readFileSync(new URL('../../docs/developers/sandbox.md', import.meta.url), 'utf8');
  const script = [...text.matchAll(/^```sh run\n([\s\S]*?)^```$/gm)].map(([, block]) => block!).join('\n');
  const codes = [...script.matchAll(/# (\d{3})$/gm)].map(([, code]) => code!);
  expect(new Set(codes)).toEqual(new Set(['200', '201', '410', '413', '429', '503', '504']));
  const env = { ...plainEnvironment(), BASE: sandbox.service, CONTROL: sandbox.control, CIVIC_API_KEY: sandbox.key };
  const program = runProgram(['bash', '-c', `set -euo pipefail\n${script}`], { cwd: tmpdir(), env });
  const { exitCode, stdout, stderr } = await program.ended;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout.split('\n').filter((line) => /^\d{3}$/.test(line))).toEqual(codes);
  for (const said of [
    'curl ends with 18',
    '"status":"degraded"',
    '"answer":"refused"',
    '"answer":"unknown"',
    '{"failures":[]}',
  ]) {
    expect(stdout).toContain(said);
  }
});

const status = (url: string, host?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'GET', ...(host === undefined ? {} : { headers: { host } }) },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    outgoing.once('error', reject).end();
  });

test('the control answers to no other name than localhost, and needs JSON', async () => {
  expect([await status(sandbox.control), await status(sandbox.control, 'evil.example')]).toEqual([200, 403]);
  const { status: typed } = await fetch(`${sandbox.control}/feed/renew`, { method: 'POST', body: '{}' });
  expect(typed).toBe(400);
});

test('a service that is not a sandbox has none of this', async () => {
  const service = await serveNewCivic({ CIVIC_OPS_PORT: '0' });
  try {
    const paths = [
      '/sandbox',
      '/sandbox/clock',
      '/sandbox/failures',
      '/sandbox/feed/renew',
      '/sandbox/plans',
      '/facilitator/settle',
    ];
    for (const base of [service.baseUrl, service.opsUrl!]) {
      for (const path of paths) {
        for (const method of ['GET', 'POST', 'DELETE']) {
          const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
          expect([path, method, (await fetch(`${base}${path}`, { method, ...body })).status]).toEqual([
            path,
            method,
            404,
          ]);
        }
      }
    }
  } finally {
    await service.close();
  }
});

// The last one ends the sandbox of the tests above.
const SIGNALS = [...withNightly<NodeJS.Signals>([], ['SIGINT']), 'SIGTERM'] as const;

test.each(SIGNALS)('%s ends a sandbox, which leaves neither data nor a process', async (signal) => {
  const ending = signal === 'SIGTERM' ? sandbox : await startSandbox(REAL);
  expect(ending.leftBehind()).toHaveLength(1);
  expect((await ending.fetch(`${CHANGES}?limit=1`)).status).toBe(200);
  const { exitCode, stderr } = await ending.stop(signal);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('ignores DATABASE_URL, CIVIC_DATA_DIR');
});
