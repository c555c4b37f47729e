import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../contract/operations.ts';
import { TOOL_ERRORS } from '../../contract/tools/tool-errors.ts';
import { DatabaseUnavailable } from '../../domain/ports/database.ts';
import { Rejection, REJECTIONS } from '../../domain/rejections.ts';
import { documentRoutes } from '../../src/edge/documents/document-routes.ts';
import { pageDocuments } from '../../src/edge/pages/page-documents.ts';
import { type EdgeSettings, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';

const edges: HttpEdge[] = [];
afterEach(async () => {
  for (const edge of edges.splice(0)) await edge.close();
});
async function start(settings: EdgeSettings = {}): Promise<HttpEdge> {
  const edge = await startHttpEdge(settings);
  edges.push(edge);
  return edge;
}
const ask = (edge: HttpEdge, path: string, accept = 'text/html', method = 'GET') =>
  fetch(`${edge.url}${path}`, { method, headers: { accept } });

test('an address may ask for each kind of page as often as for a public operation; then a page says so', async () => {
  const edge = await start({ publicLimit: { requests: 2, seconds: 60 } });
  for (const status of [200, 200, 429]) expect((await ask(edge, '/')).status).toBe(status);
  expect((await ask(edge, '/search')).status).toBe(200);
  const refused = await ask(edge, '/');
  expect([refused.headers.get('content-type'), refused.headers.get('retry-after')]).toEqual([
    'text/html; charset=utf-8',
    '60',
  ]);
  expect(await refused.text()).toContain('Too many requests');
  const [, , third] = [await ask(edge, '/', '*/*'), await ask(edge, '/', '*/*'), await ask(edge, '/', '*/*')];
  expect([third.status, await third.json()]).toMatchObject([429, { error: { code: 'rate_limited' } }]);
});

test('many requests for one page ask its queries together, and browsers and programs get their own forms', async () => {
  let requests = 0;
  const coveredTopics = async () => {
    requests += 1;
    return [];
  };
  const edge = await start({ pages: { coveredTopics } });
  const isCached = async () => {
    await ask(edge, '/');
    const before = requests;
    await ask(edge, '/');
    return requests === before;
  };
  await expect.poll(isCached).toBe(true);
  // The answers until now are out of date; the position has been read.
  edge.now += 1_000;
  requests = 0;
  const types = async (accept: string) => (await ask(edge, '/', accept)).headers.get('content-type');
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, number) => types(number % 2 === 0 ? 'text/html' : '*/*')),
  );
  expect(new Set(all.filter((_, number) => number % 2 === 0))).toEqual(new Set(['text/html; charset=utf-8']));
  expect(new Set(all.filter((_, number) => number % 2 === 1))).toEqual(new Set(['application/json; charset=utf-8']));
  // Reads twice if the position is read again between the requests.
  expect(requests).toBeLessThanOrEqual(2);
});

test('a failure of the database is a page with status 503, without its text, and is not cached', async () => {
  let isDown = true;
  const coveredTopics = async () => {
    if (isDown) throw new DatabaseUnavailable('secret of db-4');
    return [];
  };
  const edge = await start({ pages: { coveredTopics } });
  const answer = await ask(edge, '/');
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    503,
    'text/html; charset=utf-8',
    null,
  ]);
  const text = await answer.text();
  expect(text).toContain('This page cannot be shown now');
  expect(text).not.toContain('secret');
  isDown = false;
  expect((await ask(edge, '/')).status).toBe(200);
});

test('a refusal whose words come from the request is escaped', async () => {
  const search = async (): Promise<never> => {
    throw new Rejection('invalid_parameter', 'no such <b>word</b>');
  };
  const edge = await start({ pages: { search } });
  const text = await (await ask(edge, '/search?q=%3Cb%3E')).text();
  expect(text).toContain('no such &lt;b&gt;word&lt;/b&gt;');
  expect(text).not.toContain('<b>');
});

test('HEAD answers without a body, another method with 405, and an unchanged page with 304', async () => {
  const edge = await start();
  const head = await ask(edge, '/', 'text/html', 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await ask(edge, '/', 'text/html', 'POST')).status).toBe(405);
  const unchanged = await fetch(`${edge.url}/`, {
    headers: { accept: 'text/html', 'if-none-match': head.headers.get('etag')! },
  });
  expect(unchanged.status).toBe(304);
});

describe('guides', () => {
  let edge: HttpEdge;
  beforeEach(
    async () => (edge = await start({ documents: (baseUrl) => [...documentRoutes(baseUrl), ...pageDocuments()] })),
  );
  const linksOf = (page: string) =>
    [...page.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!.replaceAll('&amp;', '&'));

  test('every guide and every error code is a page, and every link of them leads to a page and a heading that are there', async () => {
    const pages = new Map<string, string>();
    const open = async (path: string): Promise<string> => {
      const page = pages.get(path);
      if (page !== undefined) return page;
      const answer = await ask(edge, path);
      expect([path, answer.status]).toEqual([path, 200]);
      const text = await answer.text();
      if (path.startsWith('/docs'))
        expect([path, Buffer.byteLength(text) < 100_000, text.includes('<script')]).toEqual([path, true, false]);
      pages.set(path, text);
      return text;
    };
    const waiting = ['/docs'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const links = linksOf(await open(path)).filter((href) => /^[/#]/.test(href));
      for (const href of links) {
        const [to = '', heading] = href.startsWith('#') ? [path, href.slice(1)] : href.split('#');
        if (!pages.has(to) && to.startsWith('/docs')) waiting.push(to);
        const target = await open(to);
        if (heading !== undefined && heading !== 'main')
          expect([href, target.includes(`id="${heading}"`)]).toEqual([href, true]);
      }
    }
    const guides = readdirSync(new URL('../../docs/', import.meta.url), { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.md') && !file.startsWith('decisions'),
    );
    expect(guides.length).toBeGreaterThan(20);
    for (const file of guides) expect(pages.has(`/docs/${basename(file, '.md')}`)).toBe(true);
    for (const code of Object.keys({ ...REJECTIONS, ...TOOL_ERRORS }))
      expect(pages.has(`/docs/errors/${code}`)).toBe(true);
  });

  test('an error code says what it means, its status, what to do, and its operations', async () => {
    const text = await (await ask(edge, '/docs/errors/cursor_expired')).text();
    for (const part of [
      REJECTIONS.cursor_expired,
      'status 410',
      'What to do: Take a new snapshot',
      '<code>boundaryCursor</code>',
      '/docs/api/readCivicChanges',
    ])
      expect(text).toContain(part);
  });

  test('every operation is a page with its samples as tabs, of which one is chosen', async () => {
    for (const id of Object.keys(OPERATIONS)) {
      const text = await (await ask(edge, `/docs/api/${id}`)).text();
      const [, group = ''] = /<fieldset class="tabs">([\s\S]*?)<\/fieldset>/.exec(text) ?? [];
      expect([id, [...group.matchAll(/<label for="([^"]+)">([^<]+)</g)].map(([, , name]) => name)]).toEqual([
        id,
        ['curl', 'Python', 'JavaScript'],
      ]);
      expect([id, group.match(/<pre/g)?.length, group.match(/ checked/g)?.length]).toEqual([id, 3, 1]);
      for (const [, target] of group.matchAll(/<label for="([^"]+)"/g)) expect(group).toContain(`id="${target}"`);
    }
  });

  test('samples of a guide that say the same are tabs, and others are not', async () => {
    const text = await (await ask(edge, '/docs/rest')).text();
    expect(text.match(/<fieldset class="tabs">/g)).toHaveLength(2);
    expect(new Set([...text.matchAll(/<input type="radio"[^>]* id="([^"]+)"/g)].map(([, id]) => id)).size).toBe(6);
  });

  const search = async (words: string) => {
    const text = await (await ask(edge, `/docs?q=${encodeURIComponent(words)}`)).text();
    return /<section aria-labelledby="found">([\s\S]*?)<\/section>/.exec(text)![1]!;
  };

  test('a search finds the sections with all words, those with a word in the heading first, and leads to them', async () => {
    const text = await search('RateLimit-Policy allowances');
    expect(linksOf(text)[0]).toBe('/docs/rest#allowances');
    expect(text).toMatch(/<mark>RateLimit-Policy<\/mark>/);
    const texts = [...(await search('restore')).matchAll(/<a [^>]*>([^<]+)</g)].map(([, text]) => text!);
    const inHeading = texts.map((text) => /restore/i.test(text));
    expect([
      inHeading.includes(true),
      inHeading.includes(false),
      inHeading.lastIndexOf(true) < inHeading.indexOf(false),
    ]).toEqual([true, true, true]);
    for (const link of linksOf(await search('snapshot'))) {
      const [path = '', heading] = link.split('#');
      expect([link, (await (await ask(edge, path)).text()).includes(`id="${heading}"`)]).toEqual([link, true]);
    }
  });

  test('a search for what no guide says, or for markup, says so and shows no markup', async () => {
    expect(await search('snapshot zebulona')).toContain('No guide has all of these words.');
    const page = await (await ask(edge, `/docs?q=${encodeURIComponent('"><script>alert(1)</script>')}`)).text();
    expect(page).not.toContain('<script');
    expect((await ask(edge, `/docs?q=${'a%20'.repeat(400)}`)).status).toBe(200);
  });

  test.each([
    '/docs/none',
    '/docs/api/none',
    '/docs/api/constructor',
    '/docs/errors/none',
    '/docs/errors/constructor',
    '/docs/..%2fpackage',
    '/docs/decisions/..%2f..%2fREADME',
  ])('%s is not there', async (path) => {
    expect((await ask(edge, path)).status).toBe(404);
  });
});
