import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readCivicRecords } from '../../contract/read-civic-records.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge({ timeouts: { headers: 400, request: 800 } });
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.calls.length = 0;
});

const post = (body: RequestInit['body'], headers: Record<string, string> = {}) =>
  fetch(`${edge.url}/api/v1/data/batch`, {
    method: 'POST',
    body: body ?? null,
    headers: { authorization: `Bearer ${edge.keys.read}`, 'content-type': 'application/json', ...headers },
    duplex: 'half',
  });
const ask = (body: unknown) => post(JSON.stringify(body));
const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

describe('a well-formed batch', () => {
  test('is answered 200, uncached', async () => {
    const response = await ask({ requests: [{ resource: 'topics', ids: ids(1) }] });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    readCivicRecords.success.schema.parse(await response.json());
  });

  test('reads each record once: ids in lower case, repeated ones once, impossible ones left out', async () => {
    const [one, two] = ids(2) as [string, string];
    await ask({
      requests: [
        { resource: 'topics', ids: [one, one.toUpperCase(), 'no uuid', '', '\u0000'] },
        { resource: 'meetings', ids: ['x'] },
        { resource: 'topics', ids: [two, one] },
        { resource: 'agendas', ids: [one] },
      ],
    });
    expect(edge.calls).toEqual([
      {
        name: 'readCivicRecords',
        input: {
          requests: [
            { resource: 'topics', ids: [one, two] },
            { resource: 'agendas', ids: [one] },
          ],
          maxResponseBytes: 5_000_000,
        },
      },
    ]);
  });

  test('finds the all-f uuid in upper and lower case', async () => {
    const allF = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    await ask({ requests: [{ resource: 'topics', ids: [allF.toUpperCase()] }] });
    expect(edge.calls).toMatchObject([{ input: { requests: [{ resource: 'topics', ids: [allF] }] } }]);
  });

  test('may hold 100 ids in all, in one request or in 100', async () => {
    expect((await ask({ requests: [{ resource: 'topics', ids: ids(100) }] })).status).toBe(200);
    expect((await ask({ requests: ids(100).map((id) => ({ resource: 'topics', ids: [id] })) })).status).toBe(200);
  });

  test('may name its charset and arrive in pieces', async () => {
    const text = JSON.stringify({ requests: [{ resource: 'topics', ids: ids(1) }] });
    expect((await post(text, { 'content-type': 'Application/JSON; Charset="UTF-8"' })).status).toBe(200);
    expect((await post(new Blob([text]).stream())).status).toBe(200);
  });
});

describe('is refused with 400', () => {
  const valid = { resource: 'topics', ids: ['a'] };
  test.each<[string, unknown]>([
    [
      '101 ids in all',
      {
        requests: [
          { resource: 'topics', ids: ids(60) },
          { resource: 'meetings', ids: ids(41) },
        ],
      },
    ],
    ['101 ids in one request', { requests: [{ resource: 'topics', ids: ids(101) }] }],
    ['no request', { requests: [] }],
    ['101 requests', { requests: Array.from({ length: 101 }, () => valid) }],
    ['no ids', { requests: [{ resource: 'topics', ids: [] }] }],
    ['an id that is no string', { requests: [{ resource: 'topics', ids: [1] }] }],
    ['a resource that does not exist', { requests: [{ resource: 'topic', ids: ['a'] }] }],
    ['a resource of the prototype', { requests: [{ resource: 'constructor', ids: ['a'] }] }],
    ['an unknown key', { requests: [valid], limit: 1 }],
    ['an unknown key further in', { requests: [{ ...valid, fields: [] }] }],
    ['a list', [valid]],
    ['null', null],
    ['text', 'requests'],
  ])('%s', async (_, body) => {
    await expectRefusal(await ask(body), 400, 'invalid_parameter');
    expect(edge.calls).toEqual([]);
  });

  test.each<[string, RequestInit['body'], Record<string, string>]>([
    ['no body', '', {}],
    ['malformed JSON', '{"requests":', {}],
    ['a key __proto__', '{"requests":[{"resource":"topics","ids":["a"]}],"__proto__":{}}', {}],
    ['nonsense 30,000 lists deep', '['.repeat(30_000), {}],
    ['invalid UTF-8', Buffer.from('{"requests":[{"resource":"topics","ids":["\xff"]}]}', 'latin1'), {}],
    ['another media type', '{}', { 'content-type': 'text/plain' }],
    ['a form', 'requests=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a broken media type', '{}', { 'content-type': ';;;/' }],
    ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }],
    ['a content encoding', '{}', { 'content-encoding': 'gzip' }],
  ])('%s', async (_, body, headers) => {
    await expectRefusal(await post(body, headers), 400, 'invalid_parameter');
    expect(edge.calls).toEqual([]);
  });

  test('with the place of the error', async () => {
    const { message, details } = await expectRefusal(
      await ask({ requests: [{ resource: 'x', ids: ['a'] }] }),
      400,
      'invalid_parameter',
    );
    expect(message).toMatch(/^requests\.0\.resource must be one of /);
    expect(details).toMatchObject({ issues: [{ path: 'requests.0.resource' }] });
  });

  test('a body that does not end in time', async () => {
    const raw = await rawConnection(edge.port);
    const headers = `authorization: Bearer ${edge.keys.read}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n`;
    raw.send(`POST /api/v1/data/batch HTTP/1.1\r\nhost: x\r\n${headers}\r\n{"requests":`);
    const { status, headers: answered, body } = parseResponse(await raw.ended());
    expect([status, answered['cache-control']]).toEqual([400, 'no-store']);
    expect(body).toContain('"invalid_parameter"');
  });

  test('a body whose chunks are broken', async () => {
    const raw = await rawConnection(edge.port);
    const headers = `authorization: Bearer ${edge.keys.read}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n`;
    raw.send(`POST /api/v1/data/batch HTTP/1.1\r\nhost: x\r\n${headers}\r\n5\r\n{"req\r\nnonsense\r\n`);
    const received = await raw.ended();
    expect([parseResponse(received).status, received.match(/HTTP\/1\.1 /g)?.length]).toEqual([400, 1]);
  });
});

describe('the body limit', () => {
  const padded = (size: number) => {
    const text = JSON.stringify({ requests: [{ resource: 'topics', ids: ['a'] }] });
    return text + ' '.repeat(size - text.length);
  };

  test('is 65,536 bytes', async () => {
    expect((await post(padded(65_536))).status).toBe(200);
    await expectRefusal(await post(padded(65_537)), 413, 'request_too_large');
  });

  test('holds for a body without a content length', async () => {
    expect((await post(new Blob([padded(65_536)]).stream())).status).toBe(200);
    await expectRefusal(await post(new Blob([padded(65_537)]).stream()), 413, 'request_too_large');
  });

  test.each([
    ['stated length', 'content-length: 65537\r\n\r\n{'],
    ['no stated length', `transfer-encoding: chunked\r\n\r\n11000\r\n${'x'.repeat(0x11000)}\r\n`],
  ])('is answered without waiting for the rest of a body of %s', async (_, rest) => {
    const raw = await rawConnection(edge.port);
    const headers = `authorization: Bearer ${edge.keys.read}\r\ncontent-type: application/json\r\n`;
    raw.send(`POST /api/v1/data/batch HTTP/1.1\r\nhost: x\r\n${headers}${rest}`);
    expect(parseResponse(await raw.until(isWholeResponse)).status).toBe(413);
    raw.socket.destroy();
  });

  test('is checked after the credential', async () => {
    await expectRefusal(await post(padded(100_000), { authorization: 'Bearer none' }), 401, 'unauthorized');
    await expectRefusal(await post(padded(100_000), { authorization: `Bearer ${edge.keys.export}` }), 403, 'forbidden');
  });
});

test('a result over the response limit is refused with 413, and one of exactly that size is sent in full', async () => {
  const body = { requests: [{ resource: 'topics', ids: ids(1) }] };
  const sized = (size: number) => `{"data":{"items":[]},"x":"${'\u00e9'.repeat((size - 28) / 2)}"}`;
  edge.answerWith({ readCivicRecords: async () => ({ text: sized(5_000_000), items: 1 }) });
  const whole = await ask(body);
  expect(whole.status).toBe(200);
  expect((await whole.arrayBuffer()).byteLength).toBe(5_000_000);
  edge.answerWith({ readCivicRecords: async () => ({ text: sized(5_000_002), items: 1 }) });
  await expectRefusal(await ask(body), 413, 'response_too_large');
});
