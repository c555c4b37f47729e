import { describe, expect, test, vi } from 'vitest';
import { OPERATIONS } from '../../contract/operations.ts';
import { TOOL_NAMES } from '../../contract/tools/tool-names.ts';
import { CivicError, type ClientSettings, createCivicClient } from '../../client/api/index.ts';

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}
type Reply = (sent: SentRequest, signal: AbortSignal) => Response | Promise<Response>;

const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'x-request-id': `request-${status}`, ...headers } });
const refused = (status: number, code: string, headers?: Record<string, string>, details?: unknown): Response =>
  json(status, { error: { code, message: `about ${code}`, details } }, headers);
const page = (items: readonly unknown[], nextCursor: string | null, hasMore: boolean) =>
  json(200, { data: { items }, meta: { nextCursor, hasMore } });

/** A client whose requests are answered by these replies, in order. */
function clientOf(replies: readonly Reply[], settings: Partial<ClientSettings> = {}) {
  const requests: SentRequest[] = [];
  const pauses: number[] = [];
  const client = createCivicClient({
    baseUrl: 'https://records.test/',
    key: 'crs_test',
    onRetry: (_, milliseconds) => pauses.push(milliseconds),
    fetch: async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
      const request = {
        method,
        url: url as string,
        headers: new Headers(headers),
        body: body === undefined ? null : (JSON.parse(body as string) as unknown),
      };
      requests.push(request);
      const reply = replies[requests.length - 1];
      if (reply === undefined) throw new Error(`request ${requests.length} was not expected`);
      return reply(request, signal!);
    },
    ...settings,
  });
  return { client, sent: requests, pauses };
}
const failure = (promise: Promise<unknown>): Promise<CivicError> =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error as CivicError,
  );

async function collected<Item, Shown = Item>(
  items: AsyncIterable<Item>,
  show = (item: Item) => item as unknown as Shown,
): Promise<readonly Shown[]> {
  const all: Shown[] = [];
  for await (const item of items) all.push(show(item));
  return all;
}

describe('operations', () => {
  test('are those of the contract which answer', () => {
    const { client } = clientOf([]);
    const answering = Object.values(OPERATIONS).filter(({ access }) => access !== 'closed');
    for (const { operationId } of answering) expect(client).toHaveProperty(operationId, expect.any(Function));
    expect(answering).toHaveLength(19);
  });

  test('send path, query, headers and body to the address of the operation, and the key only where one is needed', async () => {
    const { client, sent } = clientOf([() => json(200, {}), () => json(202, {}), () => json(200, {})]);
    await client.getPublicBodyCadence({ path: { slug: 'a/b', bodySlug: 'city council' } });
    await client.submitDataReport({
      headers: { 'Idempotency-Key': 'one' },
      body: { sourceUrl: 'https://example.org/', expectedRecord: 'Agenda' },
    });
    await client.readCivicChanges({ query: { resource: 'topics', limit: 2, cursor: undefined } });
    const summaries = sent.map(({ method, url, headers, body }) => [
      method,
      url,
      headers.get('authorization'),
      headers.get('idempotency-key'),
      body,
    ]);
    expect(summaries).toEqual([
      ['GET', 'https://records.test/api/v1/public/jurisdictions/a%2Fb/bodies/city%20council/cadence', null, null, null],
      [
        'POST',
        'https://records.test/api/v1/data-reports',
        'Bearer crs_test',
        'one',
        { sourceUrl: 'https://example.org/', expectedRecord: 'Agenda' },
      ],
      ['GET', 'https://records.test/api/v1/data/changes?resource=topics&limit=2', 'Bearer crs_test', null, null],
    ]);
  });

  test('refuse an address, a key and a path that cannot be used, without a request and without naming the key', async () => {
    expect(() => clientOf([], { baseUrl: 'records.test' })).toThrow(
      'the base URL must be an address such as https://records.example.org, not "records.test"',
    );
    expect(() => clientOf([], { key: 'crs_secret\n' })).toThrow(
      /^the API key is empty or has a character that no key has, such as a line break$/,
    );
    await expect(clientOf([], { key: undefined }).client.readCivicHealth()).rejects.toThrow(
      'GET /api/v1/data/health needs an API key',
    );
    await expect(clientOf([]).client.getAgendaHit({ path: { matchId: '' } })).rejects.toThrow('needs matchId');
  });

  test('take the signal as the second argument, also without input, and refuse it in the input', async () => {
    const signal = AbortSignal.abort(new Error('it was ended'));
    const { client, sent } = clientOf([(_, signal) => Promise.reject(signal.reason as Error)]);
    await expect(client.readCivicHealth({}, { signal })).rejects.toThrow('it was ended');
    const { readCivicHealth, readCivicChanges } = client as unknown as Record<
      string,
      (input: unknown) => Promise<unknown>
    >;
    await expect(readCivicHealth!({ signal })).rejects.toThrow(
      'the input of readCivicHealth has no signal: readCivicHealth(input, { signal })',
    );
    await expect(readCivicChanges!({ limit: 2 })).rejects.toThrow('the input of readCivicChanges has no limit');
    expect(sent).toHaveLength(1);
  });
});

describe('errors', () => {
  test('have the code, status, details and request id of the refusal', async () => {
    const error = await failure(
      clientOf([() => refused(410, 'cursor_expired', {}, { replayableFrom: 'x' })]).client.readCivicChanges(),
    );
    expect(error).toBeInstanceOf(CivicError);
    expect(error).toMatchObject({
      code: 'cursor_expired',
      status: 410,
      details: { replayableFrom: 'x' },
      requestId: 'request-410',
      retryAfterSeconds: null,
    });
    expect(error.message).toBe('about cursor_expired');
  });

  test.each([
    ['an answer that is not JSON', () => new Response('<html>', { status: 200 }), { code: 'not_json', status: 200 }],
    [
      'an event stream',
      () => new Response('data: {}', { status: 200, headers: { 'content-type': 'text/event-stream' } }),
      { code: 'not_json', message: 'the answer is not JSON: a client of the tool protocol reads event streams' },
    ],
    [
      'a refusal of something else',
      () => new Response('<html>', { status: 403 }),
      { code: 'unknown', status: 403, message: '<html>' },
    ],
    [
      'an error of the tool protocol',
      () => json(404, { error: { code: -32601, message: 'no', data: { code: 'invalid_parameter' } } }),
      { code: 'invalid_parameter', status: 404 },
    ],
  ])('name %s, and are not retried', async (_, reply, expected) => {
    const { client, sent } = clientOf([reply]);
    expect(await failure(client.readCivicHealth())).toMatchObject(expected);
    expect(sent).toHaveLength(1);
  });
});

describe('retries', () => {
  test('wait as long as Retry-After says, then go on', async () => {
    const { client, pauses } = clientOf([
      () => refused(429, 'rate_limited', { 'retry-after': '1' }),
      () => json(200, { data: 1 }),
    ]);
    const started = performance.now();
    await expect(client.readCivicHealth()).resolves.toEqual({ data: 1 });
    expect(pauses).toEqual([1000]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  });

  test('do not wait longer than the longest pause', async () => {
    const { client, pauses } = clientOf([() => refused(429, 'rate_limited', { 'retry-after': '61' })]);
    expect(await failure(client.readCivicHealth())).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 61 });
    expect(pauses).toEqual([]);
  });

  test('wait for a Retry-After that is longer than a timer can run', async () => {
    const stop = new AbortController();
    const replies = Array.from({ length: 3 }, () => () => refused(429, 'rate_limited', { 'retry-after': '31536000' }));
    const { client, sent } = clientOf(replies, { maxPauseMs: Infinity, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(client.readCivicHealth()).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });

  test('read a Retry-After that is a date', async () => {
    const date = new Date(Date.now() + 7200_000).toUTCString();
    const { retryAfterSeconds } = await failure(
      clientOf([() => refused(429, 'rate_limited', { 'retry-after': date })]).client.readCivicHealth(),
    );
    expect(retryAfterSeconds).toBeGreaterThan(7100);
    expect(retryAfterSeconds).toBeLessThanOrEqual(7200);
  });

  test('end after the configured number, for a lost answer and for a failure of the service', async () => {
    const failFetch = () => Promise.reject(new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } }));
    const { client, sent, pauses } = clientOf([failFetch, () => refused(503, 'feed_unavailable'), failFetch], {
      retries: 2,
      maxPauseMs: 1,
    });
    expect(await failure(client.readCivicHealth())).toMatchObject({
      code: 'no_answer',
      status: 0,
      requestId: null,
      message: 'no answer from https://records.test (ECONNRESET)',
    });
    expect([sent.length, pauses]).toEqual([3, [1, 1]]);
  });

  test('repeat a request whose answer was cut off', async () => {
    const half = () => new Response('{"data":', { headers: { 'content-type': 'application/json; charset=utf-8' } });
    const { client, pauses } = clientOf([half, () => json(200, { data: 1 })], { maxPauseMs: 1 });
    await expect(client.readCivicHealth()).resolves.toEqual({ data: 1 });
    expect(pauses).toEqual([1]);
  });

  test('end with an answer that does not come in time', async () => {
    const never: Reply = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    expect(await failure(clientOf([never], { retries: 0, timeoutMs: 20 }).client.readCivicHealth())).toMatchObject({
      code: 'no_answer',
    });
  });

  test.each(['of the client', 'of the call'])('end at once by the signal %s, in a pause too', async (whose) => {
    const stop = new AbortController();
    const ofClient = whose === 'of the client';
    const { client, sent } = clientOf(
      [() => refused(429, 'rate_limited', { 'retry-after': '50' })],
      ofClient ? { signal: stop.signal } : {},
    );
    const pending = client.readCivicHealth({}, ofClient ? {} : { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(pending).rejects.toThrow('enough');
    expect(sent).toHaveLength(1);
  });
});

describe('iterators', () => {
  const cursors = (sent: readonly SentRequest[]) => sent.map(({ url }) => new URL(url).searchParams.get('cursor'));

  test('over changes go from page to page and end at the head', async () => {
    const { client, sent } = clientOf([
      () => page([{ cursor: 'a' }, { cursor: 'b' }], 'b', true),
      () => page([{ cursor: 'c' }], 'c', false),
    ]);
    const cursorsSeen = await collected(
      client.changes({ cursor: 'start', resource: 'topics', pageSize: 2 }),
      ({ cursor }) => cursor,
    );
    expect(cursorsSeen).toEqual(['a', 'b', 'c']);
    expect(cursors(sent)).toEqual(['start', 'b']);
    expect(sent[1]!.url).toContain('resource=topics&limit=2');
  });

  test('over changes read on at the head until the signal, where they are to follow', async () => {
    const stop = new AbortController();
    const { client, sent } = clientOf([() => page([], 'a', false), () => page([{ cursor: 'b' }], 'b', false)], {
      signal: stop.signal,
    });
    const paths: string[] = [];
    const following = (async () => {
      for await (const { meta } of client.changePages({ pollMs: 5 })) {
        paths.push(meta.nextCursor);
        if (paths.length === 2) stop.abort(new Error('enough'));
      }
    })();
    await expect(following).rejects.toThrow('enough');
    expect([paths, cursors(sent)]).toEqual([
      ['a', 'b'],
      [null, 'a'],
    ]);
  });

  test('over a snapshot read all pages of a resource', async () => {
    const { client, sent } = clientOf([() => page([{ id: 1 }], 'a', true), () => page([{ id: 2 }], null, false)]);
    const records = await collected(client.snapshotRecords({ snapshotId: 's', resource: 'topics' }));
    expect(records).toEqual([{ id: 1 }, { id: 2 }]);
    expect(sent.map(({ url }) => new URL(url).pathname)).toEqual(Array(2).fill('/api/v1/data/snapshots/s/topics'));
    expect(cursors(sent)).toEqual([null, 'a']);
  });

  const tooLarge = () => refused(413, 'response_too_large');
  const limits = (sent: readonly SentRequest[]) => sent.map(({ url }) => new URL(url).searchParams.get('limit'));

  test('over pages ask for fewer items where a page is too large, and for more again after eight that fit', async () => {
    const pages = Array.from({ length: 10 }, (_, nth) => () => page([{ cursor: `${nth}` }], `${nth}`, nth < 9));
    const changes = clientOf([tooLarge, tooLarge, ...pages]);
    expect(await collected(changes.client.changes({ pageSize: 9 }))).toHaveLength(10);
    expect(limits(changes.sent)).toEqual(['9', '4', ...Array<string>(8).fill('2'), '4', '4']);
    const snapshot = clientOf([tooLarge, ...pages]);
    expect(await collected(snapshot.client.snapshotRecords({ snapshotId: 's', resource: 'topics' }))).toHaveLength(10);
    expect(limits(snapshot.sent)).toEqual([null, ...Array<string>(8).fill('50'), null, null]);
  });

  test('over pages ask for fewer than a page can have at once', async () => {
    const { client, sent } = clientOf([tooLarge, () => page([{ cursor: 'a' }], 'a', false)]);
    expect(await collected(client.changes({ pageSize: 4000 }))).toHaveLength(1);
    expect(limits(sent)).toEqual(['4000', '250']);
  });

  test('over pages end where one item alone is too large', async () => {
    const { client, sent } = clientOf([tooLarge, tooLarge, tooLarge]);
    expect(await failure(collected(client.changes({ pageSize: 5 })))).toMatchObject({
      code: 'response_too_large',
      status: 413,
    });
    expect(limits(sent)).toEqual(['5', '2', '1']);
  });

  test('over a search call the tool with the cursor of the page before', async () => {
    const pageWith = (itemId: string, nextCursor: string | null) => () =>
      json(200, {
        jsonrpc: '2.0',
        id: 1,
        result: { structuredContent: { data: { results: [{ itemId }], nextCursor } } },
      });
    const { client, sent } = clientOf([pageWith('one', 'next'), pageWith('two', null)]);
    const ids = await collected(client.searchResults({ query: 'zoning', pageSize: 1 }), ({ itemId }) => itemId);
    expect(ids).toEqual(['one', 'two']);
    expect(sent.map(({ body }) => (body as { params: { arguments: unknown } }).params.arguments)).toEqual([
      { query: 'zoning', limit: 1 },
      { query: 'zoning', limit: 1, cursor: 'next' },
    ]);
  });
});

describe('a limit is a total, and a page has no more items than are wanted', () => {
  const sizes = (sent: readonly SentRequest[]) => sent.map(({ url }) => new URL(url).searchParams.get('limit'));

  test('of changes, and of records of a snapshot', async () => {
    const pages = [() => page([{ id: 1 }, { id: 2 }], 'a', true), () => page([{ id: 3 }, { id: 4 }], 'b', true)];
    const changes = clientOf(pages);
    expect(await collected(changes.client.changes({ limit: 3 }))).toHaveLength(3);
    expect(sizes(changes.sent)).toEqual(['3', '3']);
    const snapshot = clientOf(pages);
    const input = { snapshotId: 's', resource: 'topics', limit: 4, pageSize: 2 } as const;
    expect(await collected(snapshot.client.snapshotRecords(input))).toHaveLength(4);
    expect(sizes(snapshot.sent)).toEqual(['2', '2']);
  });

  test('of results of a search', async () => {
    const fullPage = () =>
      json(200, {
        jsonrpc: '2.0',
        id: 1,
        result: { structuredContent: { data: { results: [1, 2], nextCursor: 'n' } } },
      });
    const { client, sent } = clientOf([fullPage, fullPage]);
    expect(await collected(client.searchResults({ query: 'zoning', limit: 2 }))).toEqual([1, 2]);
    expect(await collected(client.searchResults({ query: 'zoning', limit: 0 }))).toEqual([]);
    expect(await collected(client.searchResults({ query: 'zoning', limit: 1, pageSize: 5 }))).toEqual([1]);
    expect(sent.map(({ body }) => (body as { params: { arguments: unknown } }).params.arguments)).toEqual([
      { query: 'zoning', limit: 2 },
      { query: 'zoning', limit: 1 },
    ]);
  });
});

describe('a hostile service', () => {
  test('is not waited for longer than a day', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { client, pauses } = clientOf(
      [() => refused(429, 'rate_limited', { 'retry-after': '9999999999' }), () => json(200, { data: 1 })],
      {
        maxPauseMs: Infinity,
        onRetry: (_, pauseMs) => void (pauses.push(pauseMs), setImmediate(() => vi.runAllTimers())),
      },
    );
    await client.readCivicHealth().finally(() => vi.useRealTimers());
    expect(pauses).toEqual([86_400_000]);
  });

  test('fills no memory with one response, which is not requested again', async () => {
    const chunk = new Uint8Array(1 << 20).fill(32);
    let sentBytes = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sentBytes += chunk.length;
            controller.enqueue(chunk);
          },
        }),
      );
    const { client, sent } = clientOf([endless]);
    expect(await failure(client.readCivicHealth())).toMatchObject({
      code: 'unknown',
      message: 'the answer from https://records.test is over 134217728 bytes',
    });
    expect(sent).toHaveLength(1);
    expect(sentBytes).toBeLessThan(140_000_000);
  });

  test.each([
    ['https://user:swordfish@records.test', /^the base URL must have no user, password, query or fragment; /],
    ['https://records.test/?key=swordfish', /^the base URL must have no user, password, query or fragment; /],
    ['ftp://user:swordfish@records.test', /^the base URL must be an address such as https:\/\/records.example.org$/],
    ['user:swordfish@records.test', /^the base URL must be an address such as https:\/\/records.example.org$/],
  ])('has no address with a secret, which no message shows: %s', (baseUrl, message) => {
    expect(() => clientOf([], { baseUrl })).toThrow(message);
  });
});

describe('tools', () => {
  const result =
    (structuredContent: unknown, isError = false) =>
    () =>
      json(200, { jsonrpc: '2.0', id: 1, result: { structuredContent, isError } });

  test.each([
    [
      'a refusal of the tool',
      { error: { code: 'invalid_cursor', message: 'no', details: 1, retryAfterSeconds: 2 } },
      { code: 'invalid_cursor', details: 1, retryAfterSeconds: 2 },
    ],
    [
      'a call to be paid',
      { x402Version: 2, accepts: [] },
      { code: 'payment_required', details: { x402Version: 2, accepts: [] } },
    ],
  ])('throw %s as an error with a code', async (_, content, expected) => {
    expect(await failure(clientOf([result(content, true)]).client.callTool('get_coverage', {}))).toMatchObject({
      status: 200,
      ...expected,
    });
  });

  test('are named as in the contract', async () => {
    for (const name of TOOL_NAMES) {
      const { client, sent } = clientOf([result({ data: name })]);
      await expect(client.callTool(name, {})).resolves.toBe(name);
      expect(sent[0]!.headers.get('mcp-name')).toBe(name);
    }
  });
});

test('an answer that leads to another address is refused, and the key is sent nowhere', async () => {
  const location = 'https://elsewhere.test/';
  const { client, sent } = clientOf([() => new Response(null, { status: 307, headers: { location } })]);
  const error = await failure(client.readCivicHealth());
  expect([error.code, error.status, error.message]).toEqual([
    'unknown',
    307,
    expect.stringContaining(`leads to "${location}"`),
  ]);
  expect(sent).toHaveLength(1);
});

test.each([
  ['is no page', { data: [] }, 'not_json'],
  ['leads back to itself', { data: { items: [] }, meta: { nextCursor: 'a', hasMore: true } }, 'unknown'],
])('a page that %s ends an iterator', async (_, body, code) => {
  const { client } = clientOf([() => json(200, body)]);
  expect((await failure(collected(client.changes({ cursor: 'a' })))).code).toBe(code);
});
