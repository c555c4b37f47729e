import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PUBLIC_OPERATIONS } from '../../contract/operations.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { PUBLIC_DIRECTIVE } from '../support/http-public.ts';
import { isWholeResponse, parseResponse, rawConnection } from '../support/http-raw.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());

const LARGE = JSON.stringify({ data: ['é'.repeat(600), 'x'.repeat(2000)] });
const SMALL = '{"data":[]}';
const PATH = '/api/v1/public/agenda-hits';

/** One exchange over a raw connection, because an HTTP client adds headers and decodes bodies. */
async function exchange(headers: Readonly<Record<string, string>> = {}, method = 'GET', path = PATH) {
  const raw = await rawConnection(edge.port);
  const lines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  raw.send([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  const { status, headers: answerHeaders, body } = parseResponse(await raw.ended());
  return { status, headers: answerHeaders, body: Buffer.from(body, 'latin1') };
}
const answering = (text: string) => edge.answerWith({ listRecentAgendaHits: async () => ({ text, items: 0 }) });

describe('a public success', () => {
  beforeAll(() => answering(LARGE));

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate', undefined],
    ['*;q=0', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['gzip;q=0.2, identity;q=0.9', undefined],
  ])('to Accept-Encoding %s is sent in the coding %s', async (accept, coding) => {
    const { status, headers, body } = await exchange(accept === undefined ? {} : { 'accept-encoding': accept });
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, coding, 'Accept-Encoding']);
    expect(Number(headers['content-length'])).toBe(body.length);
    const plain = coding === 'gzip' ? gunzipSync(body) : coding === 'br' ? brotliDecompressSync(body) : body;
    expect(plain.toString('utf8')).toBe(LARGE);
  });

  test('has a strong ETag of its own in each coding, and the same one on the next request', async () => {
    const tags = async () =>
      Promise.all(
        ['identity', 'gzip', 'br'].map(
          async (accept) => (await exchange({ 'accept-encoding': accept })).headers['etag'],
        ),
      );
    const first = await tags();
    expect(new Set(first).size).toBe(3);
    for (const tag of first) expect(tag).toMatch(/^"[^"]+"$/);
    expect(await tags()).toEqual(first);
  });

  test('has the same ETag when it is made again, and another for another body', async () => {
    const before = (await exchange()).headers['etag'];
    answering(LARGE);
    expect((await exchange()).headers['etag']).toBe(before);
    answering(LARGE.replace('x', 'y'));
    expect((await exchange()).headers['etag']).not.toBe(before);
    answering(LARGE);
  });

  test.each(['identity', 'gzip', 'br'])(
    'in the coding %s is 304 for its ETag, with directive, ETag and Vary and no body',
    async (accept) => {
      const etag = (await exchange({ 'accept-encoding': accept })).headers['etag']!;
      for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await exchange({ 'accept-encoding': accept, 'if-none-match': condition });
        expect([condition, again.status, again.body.length]).toEqual([condition, 304, 0]);
        expect(again.headers).toMatchObject({ 'cache-control': PUBLIC_DIRECTIVE, etag, vary: 'Accept-Encoding' });
        expect(again.headers['content-encoding']).toBeUndefined();
      }
    },
  );

  test.each(['"other"', '', 'W/"other"', 'nonsense', '""'])(
    'is sent in full to If-None-Match: %s',
    async (condition) => {
      expect((await exchange({ 'if-none-match': condition })).status).toBe(200);
    },
  );

  test('is sent in full to a client with the ETag of another coding', async () => {
    const { etag } = (await exchange({ 'accept-encoding': 'gzip' })).headers as { etag: string };
    expect((await exchange({ 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(200);
  });

  test('is answered to HEAD with the headers of GET and no body, also conditionally', async () => {
    const accept = { 'accept-encoding': 'gzip' };
    const get = await exchange(accept);
    const head = await exchange(accept, 'HEAD');
    const compared = ['content-type', 'content-length', 'content-encoding', 'cache-control', 'etag', 'vary'];
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of compared) expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
    expect((await exchange({ ...accept, 'if-none-match': get.headers['etag']! }, 'HEAD')).status).toBe(304);
  });

  test('is sent in full twice in a row on one connection', async () => {
    const raw = await rawConnection(edge.port);
    for (const method of ['HEAD', 'GET']) raw.send(`${method} ${PATH} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const received = await raw.until(
      (text) => text.includes('\r\n\r\nHTTP/1.1 200') && isWholeResponse(text.slice(text.lastIndexOf('HTTP/1.1'))),
    );
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    raw.socket.destroy();
  });
});

test('a small body is compressed only if the plain one is refused', async () => {
  answering(SMALL);
  const plain = await exchange({ 'accept-encoding': 'gzip, br' });
  expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([undefined, SMALL]);
  const refused = await exchange({ 'accept-encoding': 'gzip, identity;q=0' });
  expect(gunzipSync(refused.body).toString()).toBe(SMALL);
});

test('every public path accepts GET and HEAD and answers 405 to others without a cache directive', async () => {
  for (const { path } of Object.values(PUBLIC_OPERATIONS)) {
    const { status, headers } = await exchange({ 'content-length': '0' }, 'POST', path.replaceAll(/\{\w+\}/g, 'x'));
    expect([status, headers['allow'], headers['cache-control']]).toEqual([405, 'GET, HEAD', undefined]);
  }
});

test('HEAD is refused as GET is, without a body', async () => {
  const { status, headers, body } = await exchange({}, 'HEAD', `${PATH}?limit=0`);
  expect([status, headers['cache-control'], body.length]).toEqual([400, undefined, 0]);
});
