import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../contract/get-openapi-document.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { documentRoutes } from '../../src/edge/documents/document-routes.ts';
import type { DocumentRoute } from '../../src/edge/documents/document-routes.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectPublicRefusal, expectPublicSuccess } from '../support/http-public.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge({ documents: documentRoutes, publicLimit: { requests: 1, seconds: 60 } });
});
afterAll(() => edge.close());

const get = (path: string, init: RequestInit = {}) => fetch(edge.url + path, init);

describe('getOpenApiDocument', () => {
  test('answers an OpenAPI 3.1 document with all operations and its own address, cacheable for an hour', async () => {
    const body = await expectPublicSuccess(await get('/api/openapi.json'), 'public, s-maxage=3600');
    const document = openApiDocument.parse(body) as unknown as {
      paths: Record<string, Record<string, { operationId: string }>>;
      servers: { url: string }[];
    };
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(ids.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted());
    expect(document.servers.map(({ url }) => url)).toEqual([edge.url]);
  });

  test('has no rate limit, and answers 304 to its current ETag', async () => {
    const { headers } = await get('/api/openapi.json');
    const again = await get('/api/openapi.json', { headers: { 'if-none-match': headers.get('etag')! } });
    expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'public, s-maxage=3600']);
  });

  test.each(['/api/openapi.json?x=1', '/api/openapi.json?', '/llms.txt?a=1&a=1'])(
    'accepts no parameter: %s',
    async (path) => {
      if (path.endsWith('?')) expect((await get(path)).status).toBe(200);
      else await expectPublicRefusal(await get(path), 400, 'invalid_parameter');
    },
  );

  test('is counted under its operation; the pages are counted under none', async () => {
    await (await get('/llms.txt')).text();
    const metrics = await edge.registry.metrics();
    expect(metrics).toMatch(
      /civic_http_request_duration_seconds_count\{operation="getOpenApiDocument",status="200"\} [1-9]/,
    );
    expect(metrics).toMatch(/civic_http_request_duration_seconds_count\{operation="none",status="200"\} [1-9]/);
  });
});

const PAGES = [
  '/api-reference.md',
  '/llms.txt',
  '/reference',
  ...Object.keys(OPERATIONS).map((id) => `/api-reference/${id}.md`),
];

describe('the documents', () => {
  test.each(PAGES)('%s is answered to GET and HEAD, with an ETag', async (path) => {
    const page = await get(path);
    const head = await get(path, { method: 'HEAD' });
    expect([page.status, head.status, head.headers.get('etag')]).toEqual([200, 200, page.headers.get('etag')]);
    expect(page.headers.get('cache-control')).toMatch(/^public, /);
    expect((await page.text()).length).toBeGreaterThan(200);
  });

  test('answer 404 for an unknown page and refuse POST', async () => {
    await expectPublicRefusal(await get('/api-reference/nothing.md'), 404, 'not_found');
    const post = await get('/llms.txt', { method: 'POST' });
    expect(post.headers.get('allow')).toBe('GET, HEAD');
    await expectPublicRefusal(post, 405, 'invalid_parameter');
  });

  test('include everything that the reference page loads', async () => {
    const html = await (await get('/reference')).text();
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(html).toMatch(/<main>\n<h1>[^<]+: reference<\/h1>\n<div id="reference">/);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });
});

test('answer 500 without a cache directive while they cannot be made, and 200 afterwards', async () => {
  let broken = true;
  const route = (path: string): DocumentRoute => ({
    path,
    operationId: null,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, s-maxage=3600' },
    body: async () => {
      if (broken) throw new Error('ENOENT: /private/place');
      return 'text';
    },
  });
  const failing = await startHttpEdge({ documents: () => ['/api/openapi.json', '/llms.txt'].map(route) });
  try {
    for (const path of ['/api/openapi.json', '/llms.txt']) {
      const refusal = await expectPublicRefusal(await fetch(failing.url + path), 500, 'internal_error');
      expect(JSON.stringify(refusal)).not.toContain('private');
    }
    broken = false;
    expect(await (await fetch(`${failing.url}/llms.txt`)).text()).toBe('text');
  } finally {
    await failing.close();
  }
});
