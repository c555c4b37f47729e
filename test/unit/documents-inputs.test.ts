import { describe, expect, test } from 'vitest';
import { createFeedSubscription } from '../../contract/create-feed-subscription.ts';
import { newDataReport, requestToken } from '../../contract/data-report.ts';
import { listDfwResearchCoverage } from '../../contract/list-dfw-research-coverage.ts';
import { listPublicSourceStatuses } from '../../contract/list-public-source-statuses.ts';
import { listRecentAgendaHits } from '../../contract/list-recent-agenda-hits.ts';
import { listUpcomingAgendaHits } from '../../contract/list-upcoming-agenda-hits.ts';
import { postMcpJsonRpc } from '../../contract/post-mcp-json-rpc.ts';
import { TOOLS } from '../../contract/tools/tools.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';
import { toolList } from '../../src/edge/mcp/tool-server.ts';

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown): boolean =>
  schema.safeParse(value).success;

test('each filter of a report is described by its own name, also when two filters share one schema', () => {
  const described = (schema: unknown, path: readonly string[]): unknown =>
    path.reduce((at: unknown, name) => (at as { properties: Record<string, unknown> }).properties[name], schema);
  const tool = toolList().tools.find(({ name }) => name === 'report_missing_data')!.inputSchema;
  const body = buildOpenApiDocument('https://records.test').components.schemas['NewDataReport'];
  for (const schema of [tool, body]) {
    const filters = ['jurisdictionSlug', 'bodySlug', 'dateFrom', 'dateTo'].map((name) =>
      described(schema, ['queryContext', 'filters', name]),
    );
    expect(filters).toMatchObject([
      { description: 'Slug of the jurisdiction.' },
      { description: 'Slug of the public body.' },
      { description: expect.stringMatching(/^First requested day\./) },
      { description: expect.stringMatching(/^Last requested day\./) },
    ]);
  }
});

describe('the schema of an input in the tool list', () => {
  test('has only keywords that the interfaces of agents accept', () => {
    const text = JSON.stringify(toolList().tools.map(({ inputSchema }) => inputSchema));
    for (const keyword of ['oneOf', 'anyOf', 'allOf', 'const', 'format', '$ref', 'not', 'if'])
      expect([keyword, text.includes(`"${keyword}":`)]).toEqual([keyword, false]);
  });

  test('names the form of dates and ids in the description, and no value may be null', () => {
    const [search, item] = toolList().tools;
    expect(search).toMatchObject({
      inputSchema: { properties: { fromDate: { description: expect.stringContaining('YYYY-MM-DD') as unknown } } },
    });
    expect(item).toMatchObject({
      inputSchema: { properties: { itemId: { description: expect.stringContaining('UUID') as unknown } } },
    });
    expect(JSON.stringify(toolList())).not.toContain('"null"');
  });

  test('merges the choices of a surface into one object with the values of all', () => {
    const { inputSchema } = toolList().tools.find(({ name }) => name === 'report_missing_data')!;
    const surface = {
      type: 'object',
      required: ['kind'],
      additionalProperties: false,
      properties: {
        kind: { enum: ['rest', 'mcp'] },
        tool: { enum: expect.arrayContaining(['search_agenda']) as unknown },
        route: { enum: expect.arrayContaining(['/api/v1/data/changes']) as unknown },
      },
    };
    expect(inputSchema).toMatchObject({ properties: { queryContext: { properties: { surface } } } });
  });
});

test('the tools that state the status of a meeting say that "scheduled" may be that of a past one', () => {
  const { tools } = toolList();
  const descriptionOf = (name: string) => tools.find((tool) => tool.name === name)!.description;
  for (const name of ['search_agenda', 'get_agenda_item']) {
    expect(descriptionOf(name)).toContain(
      'A past meeting that nothing shows to have been held still has the status scheduled.',
    );
  }
});

describe('recent hits', () => {
  const { query } = listRecentAgendaHits;

  test('a normalized name takes precedence over its alias', () => {
    const parsed = query.parse({
      jurisdiction: 'a',
      jurisdictionSlug: 'b',
      topic: 'c',
      topicSlug: 'd',
      excludeTopic: 'e',
      excludeTopicSlug: 'f',
    });
    expect(parsed).toEqual({ jurisdictionSlug: 'b', topicSlug: 'd', excludeTopicSlug: 'f', limit: 3 });
    expect(query.parse({ jurisdiction: 'a', topic: 'c', excludeTopic: 'e' })).toMatchObject({
      jurisdictionSlug: 'a',
      topicSlug: 'c',
      excludeTopicSlug: 'e',
    });
  });

  test('a limit over three is three, and one below one is refused', () => {
    expect(query.parse({ limit: '50' }).limit).toBe(3);
    expect(query.parse({ limit: '2' }).limit).toBe(2);
    for (const limit of ['0', '-1', '1.5', '', 'x', '1e2'])
      expect([limit, accepts(query, { limit })]).toEqual([limit, false]);
  });

  test('unknown parameters and empty values are refused', () => {
    for (const wrong of [{ page: '1' }, { topic: '' }, { topicSlug: 'a', topic: '' }])
      expect(accepts(query, wrong)).toBe(false);
  });
});

describe('upcoming hits', () => {
  const { query } = listUpcomingAgendaHits;

  test('a topic is required under one of its two names, and the normalized one takes precedence', () => {
    expect(accepts(query, {})).toBe(false);
    expect(query.parse({ topic: 'a' }).topicSlug).toBe('a');
    expect(query.parse({ topic: 'a', topicSlug: 'b' }).topicSlug).toBe('b');
  });

  test.each([
    [{ topic: 'a', cursor: 'x', page: '1' }],
    [{ topic: 'a', count: 'false' }],
    [{ topic: 'a', count: '' }],
    [{ topic: 'a', cursor: 'x'.repeat(201) }],
    [{ topic: 'a', cursor: '' }],
    [{ topic: 'a', page: '0' }],
    [{ topic: 'a', page: '101' }],
    [{ topic: 'a', limit: '5' }],
  ])('%j is refused', (wrong) => {
    expect(accepts(query, wrong)).toBe(false);
  });

  test('the bounds are accepted', () => {
    expect(query.parse({ topic: 'a', cursor: 'x'.repeat(200), count: 'true' })).toMatchObject({ count: true });
    expect(query.parse({ topic: 'a', page: '100' })).toMatchObject({ page: 100, count: false });
  });
});

test('coverage accepts 1 to 20, true or false, and only known counties and families', () => {
  const { query } = listDfwResearchCoverage;
  expect(query.parse({})).toEqual({ includeInactive: false, limit: 20 });
  expect(
    query.parse({ limit: '20', includeInactive: 'true', county: 'palo-pinto', family: 'city.ordinances' }),
  ).toMatchObject({
    includeInactive: true,
  });
  for (const wrong of [
    { limit: '21' },
    { limit: '0' },
    { includeInactive: '1' },
    { county: 'Dallas' },
    { county: 'dallas-county' },
    { family: 'ordinances' },
    { cursor: 'x'.repeat(4097) },
    { jurisdictionSlug: 'x'.repeat(81) },
  ]) {
    expect([wrong, accepts(query, wrong)]).toEqual([wrong, false]);
  }
});

test('source status accepts both names of both filters, and the normalised ones take precedence', () => {
  const parsed = listPublicSourceStatuses.query.parse({
    jurisdiction: 'a',
    jurisdictionSlug: 'b',
    body: 'c',
    bodySlug: 'd',
  });
  expect(parsed).toEqual({ jurisdictionSlug: 'b', bodySlug: 'd' });
});

test('a subscription has a trimmed name of 1 to 80 characters, and no filter if none is named', () => {
  const { schema } = createFeedSubscription.body;
  expect(schema.parse({ name: '  warehouse ' })).toEqual({ name: 'warehouse', resource: null });
  expect(accepts(schema, { name: 'x'.repeat(80), resource: 'topics' })).toBe(true);
  for (const wrong of [
    { name: '   ' },
    { name: 'x'.repeat(81) },
    { name: 'a', resource: 'nothing' },
    { name: 'a', keyId: 'b' },
    {},
  ]) {
    expect([wrong, accepts(schema, wrong)]).toEqual([wrong, false]);
  }
});

describe('a report', () => {
  const report = { sourceUrl: 'https://example.org/a', expectedRecord: 'an agenda' };

  test('needs an address and the missing data, and accepts no unknown field', () => {
    expect(accepts(newDataReport, report)).toBe(true);
    for (const wrong of [
      { sourceUrl: 'a' },
      { expectedRecord: 'a' },
      { ...report, note: 'a' },
      { ...report, expectedRecord: 'x'.repeat(1001) },
    ]) {
      expect(accepts(newDataReport, wrong)).toBe(false);
    }
  });

  test.each([
    [{ jurisdictionSlug: 'fort-worth' }, true],
    [{ jurisdictionSlug: 'fort--worth' }, false],
    [{ jurisdictionSlug: '-worth' }, false],
    [{ recordDate: '2024-02-29' }, true],
    [{ recordDate: '2025-02-29' }, false],
    [{ sourceRecordId: 'a:b/c' }, true],
    [{ sourceRecordId: '/a' }, false],
    [{ queryContext: {} }, false],
    [{ queryContext: { surface: { kind: 'mcp', tool: 'search_agenda' } } }, true],
    [{ queryContext: { surface: { kind: 'rest', route: '/api/v1/agenda/search' } } }, true],
    [{ queryContext: { surface: { kind: 'rest', route: '/api/v1/data/health' } } }, false],
  ])('with %j is accepted: %s', (field, accepted) => {
    expect(accepts(newDataReport, { ...report, ...field })).toBe(accepted);
  });

  test('has a token of at most 128 letters, digits and four signs', () => {
    for (const token of ['a', 'A1._:-', 'x'.repeat(128)])
      expect([token, accepts(requestToken, token)]).toEqual([token, true]);
    for (const token of ['', '-a', 'a b', 'x'.repeat(129), 'é'])
      expect([token, accepts(requestToken, token)]).toEqual([token, false]);
  });
});

describe('the tools', () => {
  test('accept no unknown argument', () => {
    expect(accepts(TOOLS.get_coverage.input, {})).toBe(true);
    expect(accepts(TOOLS.get_coverage.input, { any: 1 })).toBe(false);
    expect(accepts(TOOLS.get_agenda_item.input, { itemId: '00000000-0000-0000-0000-000000000000', more: 1 })).toBe(
      false,
    );
  });

  test('refuse a search whose dates are in the wrong order', () => {
    const { input } = TOOLS.search_agenda;
    expect(input.parse({ query: 'water' })).toEqual({ query: 'water', limit: 10 });
    expect(accepts(input, { query: 'water', fromDate: '2026-02-01', toDate: '2026-02-01' })).toBe(true);
    expect(accepts(input, { query: 'water', fromDate: '2026-02-02', toDate: '2026-02-01' })).toBe(false);
    expect(accepts(input, { query: 'water', fromDate: '2026-02-30' })).toBe(false);
    expect(accepts(input, { query: 'water', limit: 21 })).toBe(false);
  });

  test('are called singly or in a batch of at most 20', () => {
    const { schema } = postMcpJsonRpc.body;
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(accepts(schema, request)).toBe(true);
    expect(
      accepts(
        schema,
        Array.from({ length: 20 }, () => request),
      ),
    ).toBe(true);
    expect(
      accepts(
        schema,
        Array.from({ length: 21 }, () => request),
      ),
    ).toBe(false);
    expect(accepts(schema, [])).toBe(false);
    expect(accepts(schema, { ...request, id: null })).toBe(false);
  });
});
