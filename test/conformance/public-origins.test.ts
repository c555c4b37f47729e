import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentRoutes } from '../../src/edge/documents/document-routes.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';

const PAGE = 'https://page.example.org';
const PUBLIC = [
  ['an answer', '/api/v1/public/agenda-hits', 200],
  ['a refused parameter', '/api/v1/public/agenda-hits?limit=0', 400],
  ['an unknown parameter', '/api/v1/public/coverage?x=1', 400],
  ['a document', '/api/openapi.json', 200],
  ['a refused document', '/api/openapi.json?x=1', 400],
] as const;

let open: HttpEdge;
let narrow: HttpEdge;
let closed: HttpEdge;
beforeAll(async () => {
  open = await startHttpEdge({ documents: documentRoutes });
  narrow = await startHttpEdge({ documents: documentRoutes, publicOrigins: [PAGE, 'https://other.example.org'] });
  closed = await startHttpEdge({ documents: documentRoutes, publicOrigins: [] });
});
afterAll(async () => {
  for (const edge of [open, narrow, closed]) await edge?.close();
});

const from = (edge: HttpEdge, path: string, origin: string | null, headers: Record<string, string> = {}) =>
  fetch(`${edge.url}${path}`, { headers: { ...headers, ...(origin === null ? {} : { origin }) } });
const allowed = (response: Response) => response.headers.get('access-control-allow-origin');

describe('without a setting, every page may read', () => {
  test.each(PUBLIC)('%s', async (_, path, status) => {
    for (const origin of [PAGE, null]) {
      // Twice: the second answer is a cached one.
      for (let turn = 0; turn < 2; turn++) {
        const response = await from(open, path, origin);
        expect(response.status).toBe(status);
        expect(allowed(response)).toBe('*');
        expect(response.headers.get('access-control-expose-headers')).toBe('ETag, Retry-After, X-Request-Id');
        expect(response.headers.get('access-control-allow-credentials')).toBeNull();
        expect(response.headers.get('vary') ?? '').not.toContain('Origin');
      }
    }
  });

  test('an answer that has not changed', async () => {
    const etag = (await from(open, '/api/openapi.json', PAGE)).headers.get('etag')!;
    const response = await from(open, '/api/openapi.json', PAGE, { 'if-none-match': etag });
    expect([response.status, allowed(response)]).toEqual([304, '*']);
  });

  test.each(['/api/v1/data/changes', '/api/v1/data/health', '/api/nothing'])(
    'but not the answers of %s',
    async (path) => {
      expect(allowed(await from(open, path, PAGE))).toBeNull();
    },
  );
});

test.each(PUBLIC)('a setting narrows it to its origins: %s', async (_, path) => {
  expect(allowed(await from(narrow, path, PAGE))).toBe(PAGE);
  for (const origin of ['https://page.example.org.evil.example', 'null', null]) {
    const response = await from(narrow, path, origin);
    expect(allowed(response)).toBeNull();
    expect(response.headers.get('vary')).toContain('Origin');
  }
});

test.each(PUBLIC)('with none, no page of another origin may read %s', async (_, path) => {
  expect(allowed(await from(closed, path, PAGE))).toBeNull();
});

describe('a preflight', () => {
  const path = '/api/v1/public/agenda-hits';
  const ask = (edge: HttpEdge, target = path, headers: Record<string, string> = {}) =>
    fetch(`${edge.url}${target}`, {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
        ...headers,
      },
    });

  test.each([
    ['every', () => open, '*'],
    ['an allowed', () => narrow, PAGE],
  ] as const)('from %s page is 204 with the allowed methods and headers', async (_, edge, origin) => {
    const response = await ask(edge());
    expect([response.status, allowed(response)]).toEqual([204, origin]);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    expect(response.headers.get('access-control-allow-headers')).toBe('if-none-match');
  });

  test('from another page, and OPTIONS that is not a preflight, is 405', async () => {
    expect((await ask(narrow, path, { origin: 'https://evil.example' })).status).toBe(405);
    expect((await ask(closed)).status).toBe(405);
    const plain = await fetch(`${open.url}${path}`, { method: 'OPTIONS' });
    expect([plain.status, plain.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('of a path that does not exist is 404', async () => {
    expect((await ask(open, '/api/v1/public/nothing')).status).toBe(404);
  });
});

test.each(['/api/v1/public/agenda-hits/', '/api/v1/data/snapshots//topics', '/api/v1/data-reports/'])(
  'a path that ends before its id is 404: %s',
  async (path) => {
    const response = await fetch(`${open.url}${path}`);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
  },
);
