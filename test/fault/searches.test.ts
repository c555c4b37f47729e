import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toolError } from '../../contract/tools/tool-results.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';
import { call, only } from '../support/tool-edge.ts';
import { askTools, BOTH_TYPES, currentRequest, legacyRequest, type ToolAnswer } from '../support/tool-requests.ts';

const LIMIT = 2;
const PATIENT = { timeout: 60_000, interval: 20 };
const ARGUMENTS = { query: 'zoning' };

let database: TestDatabase;
let served: ServedCivic;
let admin: Client;
/** Holds the lock in a transaction, in which the view of other sessions does not change. */
let locker: Client;
let table: string;
/** Statements of searches that run or wait for the lock in PostgreSQL, which shows the first 1,024 bytes of each. */
async function searching(): Promise<number> {
  const text = `select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%civic.agenda\\_search\\_%' and pid <> pg_backend_pid()`;
  return (await admin.query(text)).rowCount!;
}
const block = () => locker.query(`begin; lock table ${table} in access exclusive mode`);
const unblock = () => locker.query('rollback');

async function customer(): Promise<string> {
  const accountId = await served.openAccount({ tier: 'ultra' });
  return (await served.issueKey(accountId, { scopes: ['mcp:read', 'civic:read'] })).secret;
}
const search = (key: string, requestOf = currentRequest): Promise<ToolAnswer> =>
  askTools({ url: served.baseUrl, key, ...requestOf('tools/call', call('search_agenda', ARGUMENTS)) });
const isFound = (answer: ToolAnswer): boolean =>
  answer.status === 200 && only(answer).result?.['isError'] === undefined;

beforeAll(async () => {
  database = await startTestDatabase();
  served = await serveCivic(database.url, { CIVIC_SEARCH_CONCURRENCY: String(LIMIT), CIVIC_OPS_PORT: '0' });
  [admin, locker] = [new Client(database.url), new Client(database.url)];
  await Promise.all([admin.connect(), locker.connect()]);
  const live = `select live_generation as number from civic.projections where name = 'agenda_search'`;
  const { rows } = await admin.query<{ number: number }>(live);
  table = `civic.agenda_search_entries_g${rows[0]!.number}`;
});
afterEach(unblock);
afterAll(async () => {
  await Promise.all([admin?.end(), locker?.end()]);
  await served?.close();
  await database?.close();
});

test('feed reads and public reads are answered while all permitted searches wait', { timeout: 120_000 }, async () => {
  const [greedy, second, other] = [await customer(), await customer(), await customer()];
  await block();
  let answered = 0;
  const searches = [greedy, greedy, second, second].map((key) => search(key).finally(() => (answered += 1)));
  await expect.poll(searching, PATIENT).toBe(2 * LIMIT);
  for (let round = 0; round < 20; round += 1) {
    const [changes, hits] = await Promise.all([
      served.ask('GET', '/changes?limit=1', other),
      fetch(`${served.baseUrl}/api/v1/public/agenda-hits?limit=${1 + (round % 3)}`),
    ]);
    expect([changes.status, hits.status]).toEqual([200, 200]);
  }
  expect([answered, await searching()]).toEqual([0, 2 * LIMIT]);
  await unblock();
  for (const answer of await Promise.all(searches)) expect(isFound(answer)).toBe(true);
});

describe('searches of an account', () => {
  test('beyond its limit are 429 after a wait, while those of another account run', {
    timeout: 120_000,
  }, async () => {
    const [greedy, other] = [await customer(), await customer()];
    await block();
    const running = [search(greedy), search(greedy, legacyRequest)];
    await expect.poll(searching, PATIENT).toBe(LIMIT);
    const excess = [search(greedy), search(greedy, legacyRequest), search(greedy)];
    const fair = search(other);
    await expect.poll(searching, PATIENT).toBe(LIMIT + 1);
    for (const answer of await Promise.all(excess)) {
      expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([
        429,
        '1',
        'no-store',
      ]);
      expect(only(answer).error).toMatchObject({ code: 'rate_limited' });
    }
    expect(await searching()).toBe(LIMIT + 1);
    await unblock();
    for (const answer of await Promise.all([...running, fair])) expect(isFound(answer)).toBe(true);
    expect(isFound(await search(greedy))).toBe(true);
  });

  test('that wait run when another of them ends, and never more than the limit at once', {
    timeout: 120_000,
  }, async () => {
    const greedy = await customer();
    const over = new AbortController();
    let most = 0;
    const watching = (async () => {
      while (!over.signal.aborted) most = Math.max(most, await searching());
    })();
    const answers = await Promise.all(Array.from({ length: 30 }, () => search(greedy)));
    over.abort();
    await watching;
    expect(most).toBeLessThanOrEqual(LIMIT);
    for (const answer of answers) expect(isFound(answer) || answer.status === 429).toBe(true);
    expect(answers.filter(isFound).length).toBeGreaterThan(LIMIT);
  });

  test('beyond its limit in a batch are tool errors, and the others are answered', { timeout: 120_000 }, async () => {
    const greedy = await customer();
    await block();
    const batch = [1, 2, 3, 4].map((id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: call('search_agenda', ARGUMENTS).params,
    }));
    const responses = askTools({
      url: served.baseUrl,
      key: greedy,
      headers: { accept: BOTH_TYPES },
      body: JSON.stringify(batch),
    });
    const refusals = async () =>
      (await (await fetch(`${served.opsUrl}/metrics`)).text()).match(/outcome="rate_limited"\} (\d+)/)?.[1];
    await expect.poll(refusals, PATIENT).toBe('2');
    await unblock();
    const { status, messages } = await responses;
    const refused = messages.filter(({ result }) => result?.['isError'] === true);
    expect([status, messages.length, refused.length]).toEqual([200, 4, 2]);
    for (const { result } of refused) {
      expect(toolError.parse(result).structuredContent.error).toMatchObject({
        code: 'rate_limited',
        retryAfterSeconds: 1,
      });
    }
  });
});

describe('a search is ended in PostgreSQL', () => {
  test.each([
    ['current', currentRequest],
    ['2025', legacyRequest],
  ] as const)('when its client of the %s era disconnects', { timeout: 120_000 }, async (_, requestOf) => {
    const key = await customer();
    await block();
    const leaving = new AbortController();
    const { headers, body } = requestOf('tools/call', call('search_agenda', ARGUMENTS));
    const responses = Array.from({ length: LIMIT }, () =>
      fetch(`${served.baseUrl}/api/v1/mcp`, {
        method: 'POST',
        body,
        signal: leaving.signal,
        headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      }).then(
        () => 'answered',
        () => 'gone',
      ),
    );
    await expect.poll(searching, PATIENT).toBe(LIMIT);
    leaving.abort();
    expect(await Promise.all(responses)).toEqual(responses.map(() => 'gone'));
    await expect.poll(searching, PATIENT).toBe(0);
    const next = search(key);
    await expect.poll(searching, PATIENT).toBe(1);
    await unblock();
    expect(isFound(await next)).toBe(true);
  });

  test('when the deadline of the tool has passed', { timeout: 120_000 }, async () => {
    const key = await customer();
    await block();
    const late = only(await search(key)).result;
    expect(toolError.parse(late).structuredContent.error.code).toBe('timeout');
    await expect.poll(searching, PATIENT).toBe(0);
  });
});
