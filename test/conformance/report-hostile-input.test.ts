import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { MAX_REPORT_BYTES } from '../../contract/data-report.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { idempotent, MISSING_RECORD } from '../support/missing-record.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge({ timeouts: { headers: 1_000, request: 2_000 } });
});
afterAll(() => edge.close());
afterEach(() => {
  edge.calls.length = 0;
});

const headers = (changed: Record<string, string> = {}) => ({
  authorization: `Bearer ${edge.keys.all}`,
  'content-type': 'application/json',
  ...idempotent(),
  ...changed,
});
const submit = (body: RequestInit['body'], changed?: Record<string, string>) =>
  fetch(`${edge.url}/api/v1/data-reports`, {
    method: 'POST',
    headers: headers(changed),
    body,
    ...({ duplex: 'half' } as object),
  });
const head = (rest: string) =>
  `POST /api/v1/data-reports HTTP/1.1\r\nhost: x\r\n${Object.entries(headers())
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}${rest}`;
function padded(size: number) {
  const text = JSON.stringify(MISSING_RECORD);
  return text + ' '.repeat(size - text.length);
}

describe('a body', () => {
  test('of 8,192 bytes is accepted and of 8,193 is 413, with Content-Length and without', async () => {
    expect(MAX_REPORT_BYTES).toBe(8192);
    for (const receipt of [(size: number) => padded(size), (size: number) => new Blob([padded(size)]).stream()]) {
      expect((await submit(receipt(8192))).status).toBe(202);
      edge.calls.length = 0;
      await expectRefusal(await submit(receipt(8193)), 413, 'invalid_input');
      expect(edge.calls).toEqual([]);
    }
  });

  test('is counted in bytes, not in characters', async () => {
    const body = JSON.stringify({ ...MISSING_RECORD, expectedRecord: 'ü'.repeat(1000), queryContext: null });
    expect((await submit(body + ' '.repeat(8193 - Buffer.byteLength(body)))).status).toBe(413);
  });

  test.each([
    ['a length that is stated as enormous', 'content-length: 999999999999\r\n\r\n{'],
    [
      'chunks that are too large together',
      `transfer-encoding: chunked\r\n\r\n${'400\r\n'.concat('x'.repeat(0x400), '\r\n').repeat(9)}`,
    ],
    ['one chunk over the limit', `transfer-encoding: chunked\r\n\r\nfffffff\r\n${'x'.repeat(9000)}`],
  ])('with %s is 413 without waiting for its end', async (_, rest) => {
    const raw = await rawConnection(edge.port);
    raw.send(head(rest));
    const { status, body, headers: answered } = parseResponse(await raw.until(isWholeResponse));
    expect([status, answered['cache-control']]).toEqual([413, 'no-store']);
    expect(body).toContain('"invalid_input"');
    raw.socket.destroy();
    expect(edge.calls).toEqual([]);
  });

  test.each([
    ['that stops in the middle', 'content-length: 100\r\n\r\n{"sourceUrl":'],
    ['in chunks that stop', 'transfer-encoding: chunked\r\n\r\n5\r\n{"sou\r\n'],
    ['whose chunks are broken', 'transfer-encoding: chunked\r\n\r\n5\r\n{"sou\r\nnonsense\r\n'],
  ])('%s is 400 with the codes of reports', async (_, rest) => {
    const raw = await rawConnection(edge.port);
    raw.send(head(rest));
    const received = await raw.ended();
    const { status, body, headers: answered } = parseResponse(received);
    expect([status, answered['cache-control'], received.match(/HTTP\/1\.1 /g)?.length]).toEqual([400, 'no-store', 1]);
    expect(body).toContain('"invalid_input"');
    expect(edge.calls).toEqual([]);
  });

  test('that arrives byte by byte without end is ended in bounded time', async () => {
    const raw = await rawConnection(edge.port);
    raw.send(head('transfer-encoding: chunked\r\n\r\n'));
    const drip = setInterval(() => raw.send('1\r\n \r\n'), 20);
    try {
      const { status, body } = parseResponse(await raw.ended());
      expect(status).toBe(400);
      expect(body).toContain('"invalid_input"');
    } finally {
      clearInterval(drip);
      raw.socket.destroy();
    }
    expect(edge.calls).toEqual([]);
  });

  const record = JSON.stringify(MISSING_RECORD).slice(0, -1);
  test.each([
    ['lists as deep as it is long', '['.repeat(4000) + ']'.repeat(4000)],
    ['lists that are never closed', '['.repeat(8000)],
    ['objects as deep as it is long', `${'{"a":'.repeat(1300)}1${'}'.repeat(1300)}`],
    ['a field that is deep', `${record},"queryContext":${'{"filters":'.repeat(600)}1${'}'.repeat(600)}}`],
    ['a hundred fields', `${record},${Array.from({ length: 100 }, (_, nth) => `"field${nth}":${nth}`).join(',')}}`],
    ['a thousand fields without a name', `${record},${'"":1,'.repeat(1000)}"a":1}`],
    ['a key __proto__', `${record},"__proto__":{"polluted":true}}`],
    [
      'a key __proto__ further in',
      `${record},"queryContext":{"filters":{"__proto__":{}},"surface":{"kind":"mcp","tool":"search_agenda"}}}`,
    ],
    ['a key constructor', `${record},"constructor":{"prototype":{"polluted":true}}}`],
    ['a number that is no string', `{"sourceUrl":1e999,"expectedRecord":"x"}`],
    ['a second value', `${record}}{}`],
    ['a byte order mark and nothing else', '\ufeff'],
    ['a NUL', `${record}\u0000}`],
  ])('with %s is 400', async (_, body) => {
    await expectRefusal(await submit(body), 400, 'invalid_input');
    expect(edge.calls).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

test('a header over the limit is refused before the body is read', async () => {
  await expectRefusal(await submit('{', { 'idempotency-key': 'a'.repeat(10_000) }), 400, 'invalid_input');
});
