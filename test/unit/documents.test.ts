import { spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { CADENCE_LIST_PATH, TOPIC_LIST_PATH } from '../../contract/listings.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { COMMON_TOOL_CODES, REPORT_TOOL_CODES, SEARCH_TOOL_CODES } from '../../contract/tools/tool-errors.ts';
import { documentRoutes, memoize } from '../../src/edge/documents/document-routes.ts';
import type { JsonSchema } from '../../src/edge/documents/json-schemas.ts';
import { placedOperations } from '../../src/edge/documents/markdown/operation-section.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';

const BASE = 'https://records.test';
const document = buildOpenApiDocument(BASE);
const placed = placedOperations(document);
const routes = documentRoutes(() => BASE);
const textOf = async (path: string): Promise<string> =>
  String(await routes.find((route) => route.path === path)!.body());

/** Copied from the specification. */
const OPERATION_IDS = [
  'createCivicSnapshot',
  'createFeedSubscription',
  'getAgendaHit',
  'getDataReport',
  'getOpenApiDocument',
  'getPrelaunchMcp',
  'getPublicBodyCadence',
  'listDfwResearchCoverage',
  'listFeedSubscriptions',
  'listPublicSourceStatuses',
  'listRecentAgendaHits',
  'listUpcomingAgendaHits',
  'postMcpJsonRpc',
  'postPrelaunchMcp',
  'readCivicChanges',
  'readCivicHealth',
  'readCivicRecords',
  'readCivicSnapshotPage',
  'readFeedSubscriptionChanges',
  'revokeFeedSubscription',
  'submitDataReport',
];

const enumOf = (name: string): readonly unknown[] => document.components.schemas[name]!.enum!;

describe('the OpenAPI document', () => {
  test('has the 21 operations of the interface and no other', () => {
    expect(placed.map(({ operation }) => operation.operationId).toSorted()).toEqual(OPERATION_IDS);
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toBe('1.0.0');
    expect(document.servers.map(({ url }) => url)).toEqual([BASE]);
  });

  test('states for each operation that this version implements it', () => {
    for (const { operation } of placed) {
      expect([operation.operationId, operation['x-served']]).toEqual([operation.operationId, true]);
      expect(operation.description).not.toContain('does not answer this operation yet');
    }
  });

  test('is the same to the byte for the same base URL', () => {
    expect(JSON.stringify(buildOpenApiDocument(BASE))).toBe(JSON.stringify(document));
  });

  test.each([
    ['ResourceName', 11],
    ['Family', 21],
    ['County', 16],
    ['CoverageStatus', 6],
    ['LocationKind', 8],
    ['ProceduralStage', 8],
    ['ReportStatus', 10],
    ['ReportReason', 11],
    ['PublicErrorCode', 6],
    ['FeedErrorCode', 17],
    ['ReportErrorCode', 23],
  ])('lists %s with %i values', (name, count) => {
    expect(new Set(enumOf(name)).size).toBe(count);
  });

  test('lists every code of a tool', () => {
    expect(new Set(enumOf('ToolErrorCode'))).toEqual(
      new Set([...COMMON_TOOL_CODES, ...SEARCH_TOOL_CODES, ...REPORT_TOOL_CODES]),
    );
    expect(enumOf('ToolErrorCode')).toHaveLength(49);
  });

  test('limits each refusal to the codes that the operation has at this status', () => {
    const { schema } = placed.find(({ operation }) => operation.operationId === 'createFeedSubscription')!.operation
      .responses['409']!.content!['application/json']!;
    const named = document.components.schemas[schema.$ref!.split('/').at(-1)!]!;
    const code = named.properties!['error']!.properties!['code']!;
    expect(code.allOf!.at(-1)!.enum).toEqual(['feed_subscription_conflict', 'feed_subscription_limit_reached']);
  });

  test.each([
    ['RecordUpsert', 'resource', 11],
    ['FoundRecord', 'resource', 11],
    ['ReportSurface', 'kind', 2],
    ['ToolCall', 'name', 6],
  ])('distinguishes a %s by its %s, one schema for each of %i values', (name, propertyName, count) => {
    const { discriminator, oneOf } = document.components.schemas[name]!;
    const { mapping, ...rest } = discriminator as { propertyName: string; mapping: Record<string, string> };
    expect(rest).toEqual({ propertyName });
    expect(Object.values(mapping)).toEqual(oneOf!.map(({ $ref }) => $ref));
    expect(oneOf).toHaveLength(count);
  });

  test('distinguishes the two kinds of a change item by a constant', () => {
    const { schemas } = document.components;
    expect(schemas['ChangeItem']!.oneOf!.map(({ $ref }) => $ref!.split('/').at(-1))).toEqual([
      'RecordUpsert',
      'RecordRemoval',
    ]);
    expect(schemas['TopicUpsert']!.properties!['operation']!.const).toBe('upsert');
    expect(schemas['RecordRemoval']!.properties!['operation']!.const).toBe('remove');
  });

  test('sends Retry-After with 429 and with nothing else', () => {
    for (const { operation } of placed) {
      for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
        expect([operation.operationId, status, Object.hasOwn(headers, 'Retry-After')]).toEqual([
          operation.operationId,
          status,
          status === '429',
        ]);
      }
    }
  });

  test('gives public refusals no cache directive, and every customer answer no-store', () => {
    for (const { path, operation } of placed) {
      const isPublic = path.startsWith('/api/v1/public/') || path === '/api/openapi.json';
      for (const [status, { headers = {} }] of Object.entries(operation.responses)) {
        const directive = headers['Cache-Control']?.$ref.split('/').at(-1);
        const expected = !isPublic
          ? 'NoStore'
          : Number(status) >= 400
            ? undefined
            : path === '/api/openapi.json'
              ? 'DocumentCache'
              : 'PublicCache';
        expect([path, status, directive]).toEqual([path, status, expected]);
      }
    }
  });

  test('describes every field and every parameter', () => {
    const unexplained = new Set<string>();
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { properties } = node as JsonSchema;
      if (properties !== undefined && typeof properties === 'object' && !Array.isArray(properties)) {
        for (const [name, field] of Object.entries(properties)) {
          if (field.description === undefined) unexplained.add(name);
        }
      }
      Object.values(node).forEach(visit);
    };
    visit(document.components.schemas);
    for (const { operation } of placed) {
      for (const { name, description } of operation.parameters ?? []) {
        if (description === '') unexplained.add(name);
      }
    }
    expect([...unexplained]).toEqual([]);
  });

  test('allows no further field in objects that the specification closes, and leaves answers open', () => {
    const { schemas } = document.components;
    expect(
      ['AffectedLocation', 'ProceduralContext', 'UpcomingPagination'].map(
        (name) => schemas[name]!['additionalProperties'],
      ),
    ).toEqual([false, false, false]);
    expect(schemas['Topic']!['additionalProperties']).toBeUndefined();
    expect(schemas['BatchRequest']!['additionalProperties']).toBe(false);
  });
});

describe('the pages', () => {
  test('are one per operation, the reference, the index, the document and the page that sends requests', () => {
    const paths = Object.keys(OPERATIONS).map((id) => `/api-reference/${id}.md`);
    expect(routes.map(({ path }) => path).toSorted()).toEqual(
      [
        ...paths,
        '/api-reference.md',
        '/llms.txt',
        '/api/openapi.json',
        '/arazzo.json',
        '/reference',
        '/reference/start.js',
        '/reference/swagger-ui.js',
        '/reference/swagger-ui.css',
      ].toSorted(),
    );
  });

  test('can all be read', async () => {
    for (const route of routes) expect([route.path, (await route.body()).length > 100]).toEqual([route.path, true]);
  });

  test('link only to documents and objects that exist', async () => {
    const paths = new Set([...routes.map(({ path }) => path), TOPIC_LIST_PATH, CADENCE_LIST_PATH]);
    for (const { path } of routes.filter((route) => route.path.endsWith('.md') || route.path === '/llms.txt')) {
      const page = await textOf(path);
      const headings = new Set([...page.matchAll(/^#+ (.+)$/gm)].map((match) => `#${match[1]!.toLowerCase()}`));
      const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1]!.replace(BASE, ''));
      expect([path, links.filter((link) => !paths.has(link) && !headings.has(link))]).toEqual([path, []]);
    }
  });

  test('name every refusal of their operation', async () => {
    for (const [id, { refusals }] of Object.entries(OPERATIONS)) {
      const page = await textOf(`/api-reference/${id}.md`);
      expect([id, refusals.filter((code) => !page.includes(`\`${code}\``))]).toEqual([id, []]);
    }
  });

  test('explain a 403 of the report routes by paid access, and by a scope only if one is required', async () => {
    for (const [id, operation] of Object.entries(OPERATIONS)) {
      if (operation.access !== 'key') continue;
      const page = await textOf(`/api-reference/${id}.md`);
      const isReport = operation.path.startsWith('/api/v1/data-reports');
      expect([id, page.includes('reports need current paid access'), page.includes('lacks the scope')]).toEqual([
        id,
        isReport,
        !isReport,
      ]);
    }
  });

  test('name a subscription as what the ceiling against abuse applies to', async () => {
    const page = await textOf('/api-reference.md');
    expect(page).toMatch(
      /\| An account on a subscription, whatever its plan +\| 1,000 requests a minute and 100 a second/,
    );
    expect(page).not.toContain('Any account');
  });

  test('describe the deviations of the service, and the computation of a digest', async () => {
    const page = await textOf('/api-reference.md');
    const [, deviations = ''] = page.split('deviates knowingly');
    for (const words of ['made empty is `Cache-Control: no-store`', 'rightmost entry of `X-Forwarded-For`'])
      expect(deviations).toContain(words);
    for (const words of [
      'deviates knowingly',
      'modulo 2^256',
      'boundaryCursor',
      'Retry-After',
      'served by this version',
    ]) {
      expect(page.toLowerCase()).toContain(words.toLowerCase());
    }
  });

  test('load nothing from another host, and let a browser load nothing', async () => {
    const page = `${await textOf('/reference')}${await textOf('/reference/start.js')}`;
    expect(page).not.toMatch(/\b(https?:)?\/\/[a-z]/i);
    const policy = routes.find(({ path }) => path === '/reference')!.headers['content-security-policy']!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });
});

describe('the samples of an operation', () => {
  interface SampleRequest {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  }
  const lowerCase = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const sampleIn = async (id: string, language: string) =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(await textOf(`/api-reference/${id}.md`))![1]!;

  /** Runs the sample in JavaScript with a `fetch` that records its arguments. */
  async function sentByJavaScript(code: string): Promise<SampleRequest> {
    let request: SampleRequest | undefined;
    const fetch = async (
      url: string,
      { method = 'GET', headers = {}, body }: Partial<Omit<SampleRequest, 'url'>> = {},
    ) => {
      request = {
        url,
        method,
        headers: lowerCase(headers),
        body: body === undefined ? null : JSON.parse(body as string),
      };
      return { json: async () => null };
    };
    const globals = { fetch, process: { env: { CIVIC_API_KEY: 'a-key' } }, console: { log: () => undefined } };
    await (runInNewContext(`(async () => {${code}})()`, globals) as Promise<void>);
    return request!;
  }

  /** The same for the samples in Python, all in one process. */
  function sentByPython(programs: readonly string[]): readonly SampleRequest[] {
    const program = `
import io, json, sys, urllib.request
sent = []
def keep(request):
    sent.append({"url": request.full_url, "method": request.get_method(), "headers": dict(request.header_items()),
                 "body": None if request.data is None else json.loads(request.data)})
    return io.BytesIO(b"null")
urllib.request.urlopen = keep
out, sys.stdout = sys.stdout, io.StringIO()
for text in json.load(sys.stdin):
    exec(text, {})
json.dump(sent, out)`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(programs),
      encoding: 'utf8',
      env: { ...process.env, CIVIC_API_KEY: 'a-key' },
    });
    expect(stderr).toBe('');
    return (JSON.parse(stdout) as readonly SampleRequest[]).map((each) => ({
      ...each,
      headers: lowerCase(each.headers),
    }));
  }

  const ids = Object.keys(OPERATIONS);
  test('in JavaScript ask that operation', async () => {
    for (const id of ids) {
      const { path, method, access } = OPERATIONS[id as keyof typeof OPERATIONS];
      const jsRequest = await sentByJavaScript(await sampleIn(id, 'js'));
      expect([id, jsRequest.method]).toEqual([id, method]);
      expect(new URL(jsRequest.url).pathname).toMatch(new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/{]+')}$`));
      if (access === 'key') expect([id, jsRequest.headers['authorization']]).toEqual([id, 'Bearer a-key']);
    }
  });

  test.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'in Python send what those in JavaScript send (needs python3)',
    async () => {
      const byPython = sentByPython(await Promise.all(ids.map((id) => sampleIn(id, 'python'))));
      for (const [index, id] of ids.entries())
        expect([id, byPython[index]]).toEqual([id, await sentByJavaScript(await sampleIn(id, 'js'))]);
    },
  );
});

describe('a cached value', () => {
  test('is computed once', async () => {
    let checked = 0;
    const value = memoize(() => (checked += 1));
    expect([await value(), await value(), checked]).toEqual([1, 1, 1]);
  });

  test('is computed again after a failure', async () => {
    let checked = 0;
    const value = memoize(() => {
      checked += 1;
      if (checked === 1) throw new Error('unreadable');
      return checked;
    });
    await expect(value()).rejects.toThrow('unreadable');
    await expect(value()).resolves.toBe(2);
  });
});
