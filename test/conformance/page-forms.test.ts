import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { parseResponse, rawConnection } from '../support/http-raw.ts';
import { councilOfDallas, pageRecord, pageRecordId } from '../support/page-records.ts';
import { type ServedCivic, serveCivic } from '../support/served-civic.ts';

const BODIES = 40;
const MANY = { requests_per_minute: 100_000, burst_limit: 100_000, export_requests_per_hour: 100 };

let database: TestDatabase;
let served: ServedCivic;
let [key, smallKey, snapshotId, subscriptionId] = ['', '', '', ''];

beforeAll(async () => {
  database = await startTestDatabase();
  const plans = { pro: MANY, ultra: { ...MANY, max_response_bytes: 2_000 } };
  served = await serveCivic(database.url, { CIVIC_PLANS: JSON.stringify(plans) });
  const bodies = Array.from({ length: BODIES - 1 }, (_, number) =>
    pageRecord('public_bodies', `${number}`, {
      jurisdictionId: pageRecordId('jurisdictions', 'dallas'),
      slug: `body-${number}`,
      name: `Körperschaft "${number}"\n漢 ${'lines '.repeat(20)}`,
      bodyType: 'advisory_board',
      actingBodyRole: 'recommending',
      timezone: 'America/Chicago',
      active: true,
    }),
  );
  await served.civic.writer.write([...councilOfDallas(), ...bodies], {});
  await served.civic.caughtUp(await served.civic.log.head());
  const accountId = await served.openAccount();
  ({ secret: key } = await served.issueKey(accountId, { scopes: ['civic:read', 'civic:export', 'mcp:read'] }));
  ({ secret: smallKey } = await served.issueKey(await served.openAccount({ tier: 'ultra' })));
  const create = async (path: string, body?: object) => {
    const answer = await served.ask('POST', path, key, body === undefined ? {} : { body });
    return ((await answer.json()) as { data: { id: string; snapshotId: string } }).data;
  };
  ({ snapshotId } = await create('/snapshots'));
  ({ id: subscriptionId } = await create('/subscriptions', { name: 'forms', resource: 'public_bodies' }));
});
afterAll(async () => {
  await served?.close();
  await database?.close();
});

/** One exchange over a raw connection: an HTTP client decodes bodies. */
async function exchange(path: string, headers: Readonly<Record<string, string>> = {}) {
  const raw = await rawConnection(Number(new URL(served.baseUrl).port));
  const allHeaders = { host: 'x', connection: 'close', authorization: `Bearer ${key}`, ...headers };
  raw.send(
    [`GET ${path} HTTP/1.1`, ...Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`), '', ''].join(
      '\r\n',
    ),
  );
  const { status, headers: answerHeaders, body } = parseResponse(await raw.ended());
  return { status, headers: answerHeaders, body: Buffer.from(body, 'latin1') };
}

const LINES = { accept: 'application/x-ndjson' };
const pages = () => [
  '/api/v1/data/changes?limit=3',
  '/api/v1/data/changes?limit=500',
  '/api/v1/data/changes?resource=agendas',
  `/api/v1/data/snapshots/${snapshotId}/public_bodies?limit=3`,
  `/api/v1/data/snapshots/${snapshotId}/agendas`,
  `/api/v1/data/subscriptions/${subscriptionId}/changes`,
];

describe('newline-delimited JSON', () => {
  test('has the items of the JSON page, one a line, and its meta as the last line', async () => {
    for (const path of pages()) {
      const [json, lines] = [await exchange(path), await exchange(path, LINES)];
      expect([path, json.status, lines.status]).toEqual([path, 200, 200]);
      expect(lines.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
      const { data, meta } = JSON.parse(json.body.toString()) as { data: { items: object[] }; meta: object };
      const text = lines.body.toString();
      expect(text.endsWith('\n')).toBe(true);
      const values = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object);
      expect(values.slice(0, -1)).toEqual(data.items);
      // The clock of the test is stopped, so that the same page expires at the same time.
      expect(values.at(-1)).toEqual({ meta });
    }
  });

  test('may be read on from its meta to the end', async () => {
    const read: object[] = [];
    for (let path: string | null = `/api/v1/data/changes?resource=public_bodies&limit=7`; path !== null; ) {
      const lines = (await exchange(path, LINES)).body.toString().trimEnd().split('\n');
      const { meta } = JSON.parse(lines.pop()!) as { meta: { nextCursor: string; hasMore: boolean } };
      read.push(...lines.map((line) => JSON.parse(line) as object));
      path = meta.hasMore ? `/api/v1/data/changes?resource=public_bodies&limit=7&cursor=${meta.nextCursor}` : null;
    }
    expect(read).toHaveLength(BODIES);
  });

  test.each([
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/x-ndjson, application/json;q=0.5', 'application/x-ndjson'],
    ['application/json, application/x-ndjson;q=0.5', 'application/json'],
    ['application/x-ndjson;q=0', 'application/json'],
    ['APPLICATION/X-NDJSON', 'application/x-ndjson'],
    ['application/x-ndjson; charset=utf-8', 'application/x-ndjson'],
    ['application/x-ndjson;charset="UTF-8";q=0.9, application/json; charset=utf-8', 'application/json'],
    ['application/x-ndjson; charset=us-ascii', 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'application/json'],
    ['', 'application/json'],
  ])('Accept %s gives %s', async (accept, type) => {
    const { headers } = await exchange('/api/v1/data/changes?limit=1', { accept });
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
  });

  test('does not apply to refusals and other operations', async () => {
    for (const path of ['/api/v1/data/changes?limit=0', '/api/v1/data/health']) {
      const { headers, body } = await exchange(path, LINES);
      expect([path, headers['content-type']]).toEqual([path, 'application/json; charset=utf-8']);
      expect(JSON.parse(body.toString())).toBeTypeOf('object');
    }
  });
});

describe('the answer to a customer', () => {
  const PLAIN = { gzip: gunzipSync, br: brotliDecompressSync } as const;

  test.each(['gzip', 'br'] as const)(
    'is compressed with %s where that is accepted, and the same when it is read',
    async (coding) => {
      for (const accept of ['application/json', 'application/x-ndjson']) {
        const path = '/api/v1/data/changes?limit=100';
        const plain = await exchange(path, { accept });
        const { headers, body } = await exchange(path, { accept, 'accept-encoding': coding });
        expect([plain.headers['content-encoding'], headers['content-encoding']]).toEqual([undefined, coding]);
        expect(Number(headers['content-length'])).toBe(body.length);
        expect(body.length).toBeLessThan(plain.body.length / 3);
        expect(PLAIN[coding](body)).toEqual(plain.body);
        expect([headers['cache-control'], headers['x-request-id']]).toEqual(['no-store', expect.any(String)]);
      }
    },
  );

  test('is sent uncompressed if it is small or a refusal', async () => {
    for (const path of ['/api/v1/data/changes?resource=agendas', '/api/v1/data/changes?limit=0']) {
      const { headers, body } = await exchange(path, { 'accept-encoding': 'gzip, br' });
      expect([path, headers['content-encoding']]).toEqual([path, undefined]);
      JSON.parse(body.toString());
    }
  });

  test('keeps the limit of the plan on the size before compression', async () => {
    const { status } = await exchange('/api/v1/data/changes?limit=500', {
      'accept-encoding': 'br',
      authorization: `Bearer ${smallKey}`,
    });
    expect(status).toBe(413);
  });
});

test('a large tool answer is compressed where that is accepted', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const ask = (encoding: string) =>
    fetch(`${served.baseUrl}/api/v1/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'accept-encoding': encoding,
      },
      body,
    });
  const [plain, coded] = [await ask('identity'), await ask('gzip')];
  expect([plain.headers.get('content-encoding'), coded.headers.get('content-encoding')]).toEqual([null, 'gzip']);
  expect(await coded.text()).toBe(await plain.text());
});
