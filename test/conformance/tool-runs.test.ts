import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../infra/system/clock.ts';
import { MAX_TOOL_BYTES } from '../../contract/tools/tool.ts';
import { TOOL_NAMES, type ToolName } from '../../contract/tools/tool-names.ts';
import { toolError } from '../../contract/tools/tool-results.ts';
import type { BillingFacts } from '../../domain/plans.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { LogUnavailable } from '../../domain/ports/event-log.ts';
import { Rejection, type RejectionCode } from '../../domain/rejections.ts';
import type { ToolCall, ToolFunctions, ToolRunnerParts } from '../../src/edge/mcp/run-tool.ts';
import { EDGE_NOW, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { agendaItem, ALL_TOOLS, ARGUMENTS, searchResult } from '../support/tool-answers.ts';
import { call, only } from '../support/tool-edge.ts';
import { askTools, BOTH_TYPES, currentRequest, legacyRequest } from '../support/tool-requests.ts';

let edge: HttpEdge;
afterEach(() => edge.close());

async function start(functions: Partial<ToolFunctions>, tools: Partial<ToolRunnerParts> = {}) {
  edge = await startHttpEdge({
    tools: { functions: { ...ALL_TOOLS, ...functions }, billingEnforced: false, ...tools },
  });
}
const run = async (name: ToolName, args: object = ARGUMENTS[name], key = edge.keys.mcp) =>
  only(await askTools({ url: edge.url, key, ...currentRequest('tools/call', call(name, args)) })).result!;
async function errorOf(...args: Parameters<typeof run>) {
  const result = toolError.parse(await run(...args));
  expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
  return result.structuredContent.error;
}

/** Deadlines a hundred times shorter. */
const HURRIED: Clock = {
  now: () => EDGE_NOW,
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 100, signal),
};

describe('an error that a tool throws', () => {
  test.each<[string, Error, string]>([
    ['a defect', new TypeError('secret of db-4'), 'service_unavailable'],
    ['an unreachable database', new DatabaseUnavailable('connect db-4'), 'service_unavailable'],
    ['an unreachable log', new LogUnavailable('connect db-4'), 'service_unavailable'],
    ['a statement that took too long', new DeadlineExceeded('statement on db-4'), 'timeout'],
    ['a refusal whose code is not of a tool', new Rejection('feed_unavailable', 'db-4'), 'service_unavailable'],
  ])('%s is answered without its text, logged with its request and counted', async (_, error, code) => {
    await start({ get_coverage: () => Promise.reject(error) });
    const coverageError = await errorOf('get_coverage');
    expect(coverageError.code).toBe(code);
    expect(JSON.stringify(coverageError)).not.toContain('db-4');
    expect(edge.logged).toContainEqual(
      expect.objectContaining({
        fields: expect.objectContaining({
          requestId: expect.stringMatching(/-\d+$/) as unknown,
          tool: 'get_coverage',
          code,
        }) as unknown,
      }),
    );
    expect(await edge.registry.metrics()).toContain(
      `civic_tool_duration_seconds_count{tool="get_coverage",outcome="${code}"} 1`,
    );
  });

  test('is answered alike if it is not an Error, or is thrown before there is a promise', async () => {
    await start({
      get_coverage: () => {
        throw 'private text' as unknown as Error;
      },
    });
    expect(JSON.stringify(await errorOf('get_coverage'))).not.toContain('private');
  });

  test.each<[RejectionCode, number | undefined]>([
    ['submit_rate_limited', 17],
    ['report_limit_reached', 86_400],
    ['replay_conflict', undefined],
    ['queue_unavailable', undefined],
    ['intake_paused', undefined],
    ['budget_exhausted', undefined],
    ['invalid_input', undefined],
  ])('a report refused with %s keeps its code and its retryAfterSeconds', async (code, retryAfterSeconds) => {
    const refusal = new Rejection(code, 'refused', retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    await start({ report_missing_data: () => Promise.reject(refusal) });
    const { retryAfterSeconds: retryAfter, ...error } = await errorOf('report_missing_data');
    expect([error.code, error.message, retryAfter]).toEqual([code, 'refused', retryAfterSeconds]);
  });
});

describe('a tool that takes too long', () => {
  test('is answered timeout at its deadline, and its signal aborts', async () => {
    const stopped = Promise.withResolvers<unknown>();
    await start(
      {
        get_coverage: (_, { signal }) => {
          signal.addEventListener('abort', () => stopped.resolve(signal.reason));
          return new Promise(() => undefined);
        },
      },
      { deadlineMs: 50 },
    );
    expect((await errorOf('get_coverage')).code).toBe('timeout');
    expect(await stopped.promise).toBeInstanceOf(DeadlineExceeded);
  });

  test('gets an aborted signal when its client disconnects', async () => {
    const called = Promise.withResolvers<ToolCall>();
    await start({
      get_coverage: (_, request) => {
        called.resolve(request);
        return new Promise(() => undefined);
      },
    });
    const leaving = new AbortController();
    const { headers, body } = currentRequest('tools/call', call('get_coverage'));
    const response = fetch(`${edge.url}/api/v1/mcp`, {
      method: 'POST',
      body,
      signal: leaving.signal,
      headers: { ...headers, authorization: `Bearer ${edge.keys.mcp}`, 'content-type': 'application/json' },
    });
    const { signal } = await called.promise;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    leaving.abort();
    await expect(response).rejects.toThrow(/abort/);
    await aborted;
    expect(signal.reason).not.toBeInstanceOf(DeadlineExceeded);
  });

  test('does not keep a stream open for a call that its own batch cancels', async () => {
    await start({ get_coverage: () => new Promise(() => undefined) }, { clock: HURRIED });
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_coverage' } },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ];
    const ended = await askTools({
      url: edge.url,
      key: edge.keys.mcp,
      headers: { accept: BOTH_TYPES },
      body: JSON.stringify(batch),
    }).then(
      ({ status, messages }) => [status, messages],
      () => 'cut off',
    );
    expect(ended === 'cut off' || ended).toEqual(ended === 'cut off' ? true : [200, []]);
  });
});

test('data of 16,384 bytes is sent in full in both eras, and one byte more is cut or refused', async () => {
  const { itemId } = ARGUMENTS.get_agenda_item;
  const room =
    MAX_TOOL_BYTES - Buffer.byteLength(JSON.stringify({ item: agendaItem(itemId, { text: '' }), truncated: false }));
  let text = 'x'.repeat(room);
  let url = 'https://example.org/item/1';
  await start({
    get_agenda_item: async () => ({
      data: { item: { ...agendaItem(itemId, { text }), sourceUrl: url }, truncated: false },
    }),
  });
  const answered = async (requestOf: typeof currentRequest) => {
    const { result } = only(
      await askTools({ url: edge.url, key: edge.keys.mcp, ...requestOf('tools/call', call('get_agenda_item')) }),
    );
    const { data } = result!['structuredContent'] as { data: { truncated: boolean; item: { text: string } } };
    const [part] = result!['content'] as { text: string }[];
    expect(JSON.parse(part!.text)).toEqual(data);
    return [Buffer.byteLength(part!.text), data.truncated, data.item.text.length];
  };
  for (const requestOf of [currentRequest, legacyRequest])
    expect(await answered(requestOf)).toEqual([MAX_TOOL_BYTES, false, room]);
  text += 'x';
  for (const requestOf of [currentRequest, legacyRequest]) {
    const [bytes, truncated] = await answered(requestOf);
    expect([Number(bytes) <= MAX_TOOL_BYTES, truncated]).toEqual([true, true]);
  }
  url += 'u'.repeat(MAX_TOOL_BYTES);
  expect((await errorOf('get_agenda_item')).code).toBe('response_too_large');
});

test('a paid read whose every row is too large is answered as too large and not charged', async () => {
  const sourceUrl = `https://${'h'.repeat(20_000)}.org/`;
  const outcomes: unknown[] = [];
  const payForRead: ToolRunnerParts['payments']['payForRead'] = async ({ read, signal }) => {
    outcomes.push(await read(signal).catch((error: unknown) => error));
    return { kind: 'serve' };
  };
  await start(
    {
      search_agenda: async () => ({
        data: {
          results: [{ ...searchResult(), sourceUrl }],
          truncated: false,
          guidance: 'x',
          nextCursor: null,
          candidateLimitReached: false,
        },
      }),
    },
    { payments: { open: true, payForRead }, billingEnforced: true },
  );
  const key = edge.issue({ scopes: ['mcp:read'], channel: 'payg', tier: 'none', paidUntil: null, paidAt: null });
  const result = await run('search_agenda', ARGUMENTS.search_agenda, key);
  expect(outcomes).toMatchObject([{ code: 'response_too_large' }]);
  expect(result['structuredContent']).toMatchObject({ data: { results: [], truncated: true } });
});

describe('billing', () => {
  const BAD = { nothing: 'of this' };
  const paid: BillingFacts = { channel: 'subscription', tier: 'pro', paidUntil: EDGE_NOW + 1000, paidAt: null };
  const ACCOUNTS: Readonly<Record<string, BillingFacts>> = {
    'no channel': { channel: 'unset', tier: 'none', paidUntil: null, paidAt: null },
    'a subscription that is not paid through': { ...paid, paidUntil: EDGE_NOW - 1 },
    'pay as you go with a payment of today': {
      channel: 'payg',
      tier: 'none',
      paidUntil: null,
      paidAt: EDGE_NOW - 1000,
    },
    'pay as you go with a payment of last year': {
      channel: 'payg',
      tier: 'none',
      paidUntil: null,
      paidAt: EDGE_NOW - 365 * 86_400_000,
    },
    'a subscription that is paid through': paid,
  };
  // Expected decisions of billing: search and item tools, coverage tools, report tools.
  const TABLE: Readonly<Record<string, readonly [string, string, string]>> = {
    'no channel': ['billing_entitlement_required', 'invalid_parameter', 'access_denied'],
    'a subscription that is not paid through': ['billing_entitlement_required', 'invalid_parameter', 'access_denied'],
    'pay as you go with a payment of today': ['beta_unavailable', 'invalid_parameter', 'invalid_input'],
    'pay as you go with a payment of last year': ['beta_unavailable', 'invalid_parameter', 'access_denied'],
    'a subscription that is paid through': ['invalid_parameter', 'invalid_parameter', 'invalid_input'],
  };
  const group = (name: ToolName): number => (/agenda/.test(name) ? 0 : /report/.test(name) ? 2 : 1);

  test.each(Object.keys(ACCOUNTS))('of %s is checked before the arguments', async (account) => {
    await start({}, { billingEnforced: true });
    const key = edge.issue({ scopes: ['mcp:read'], ...ACCOUNTS[account] });
    const errors = Object.fromEntries(
      await Promise.all(TOOL_NAMES.map(async (name) => [name, (await errorOf(name, BAD, key)).code])),
    );
    expect(errors).toEqual(Object.fromEntries(TOOL_NAMES.map((name) => [name, TABLE[account]![group(name)]])));
  });

  test('that is not enforced allows every tool', async () => {
    await start({});
    const key = edge.issue({ scopes: ['mcp:read'], ...ACCOUNTS['no channel'] });
    for (const name of TOOL_NAMES)
      expect([name, (await run(name, ARGUMENTS[name], key))['isError']]).toEqual([name, undefined]);
  });
});

test('nothing that a client sends is logged: no key, no argument, no header', async () => {
  await start({ search_agenda: () => Promise.reject(new Error('a defect')) });
  const secret = 'hunter2-secret';
  await run('search_agenda', { query: secret });
  await run('search_agenda', { query: 'x', [secret]: 1 });
  const { body } = currentRequest('tools/list');
  for (const name of ['mcp-method', 'mcp-name', 'mcp-protocol-version']) {
    await askTools({
      url: edge.url,
      key: edge.keys.mcp,
      body,
      headers: { ...currentRequest('tools/list').headers, [name]: secret },
    });
  }
  await askTools({ url: edge.url, key: edge.keys.mcp, ...currentRequest(secret) });
  await askTools({ url: edge.url, key: edge.keys.mcp, ...legacyRequest(secret, { id: secret }) });
  const logged = edge.logged
    .map(
      ({ fields, message }) => `${message} ${JSON.stringify(fields)} ${(fields['err'] as Error | undefined)?.message}`,
    )
    .join('\n');
  expect(edge.logged.length).toBeGreaterThan(5);
  expect(logged).not.toContain(secret);
  expect(logged).not.toContain(edge.keys.mcp.slice(4, 30));
});
