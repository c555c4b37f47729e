import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { REPORT_CODES } from '../../contract/error-codes.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { LogUnavailable, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import { Rejection, REJECTIONS, type RejectionCode } from '../../domain/rejections.ts';
import { type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { expectRefusal } from '../support/http-refusal.ts';
import { idempotent, MISSING_RECORD } from '../support/missing-record.ts';

let edge: HttpEdge;
beforeAll(async () => {
  edge = await startHttpEdge();
});
afterAll(() => edge.close());
afterEach(() => {
  edge.answerWith({});
  edge.calls.length = 0;
  edge.logged.length = 0;
});

const headers = () => ({
  authorization: `Bearer ${edge.keys.all}`,
  'content-type': 'application/json',
  ...idempotent(),
});
const submit = (body: RequestInit['body'] = JSON.stringify(MISSING_RECORD), changed: Record<string, string> = {}) =>
  fetch(`${edge.url}/api/v1/data-reports`, { method: 'POST', headers: { ...headers(), ...changed }, body });
const read = (id: string = randomUUID()) => fetch(`${edge.url}/api/v1/data-reports/${id}`, { headers: headers() });

describe.each(['submitDataReport', 'getDataReport'] as const)('%s', (id) => {
  const ask = () => (id === 'submitDataReport' ? submit() : read());
  const failWith = (failure: Error) =>
    edge.answerWith({
      [id]: async () => {
        throw failure;
      },
    });

  test.each([
    [new DatabaseUnavailable('db-4 is away'), 'authentication_unavailable'],
    [new LogUnavailable('db-4 is away'), 'authentication_unavailable'],
    [new OutcomeUnknown('db-4 is away'), 'authentication_unavailable'],
    [new DeadlineExceeded('db-4 is slow'), 'authentication_unavailable'],
  ])(
    'answers %s with 503 of its own envelope, without Retry-After or internal details, and logs it',
    async (error, code) => {
      failWith(error);
      const refusal = await expectRefusal(await ask(), 503, code);
      expect(JSON.stringify(refusal)).not.toContain('db-4');
      expect(edge.logged).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ err: error }) as unknown }),
      );
    },
  );

  test('answers each refusal of its functions with a code of the report envelope', async () => {
    for (const code of Object.keys(REJECTIONS) as RejectionCode[]) {
      if (!(OPERATIONS[id].refusals as readonly RejectionCode[]).includes(code)) continue;
      failWith(new Rejection(code, 'refused', { retryAfterSeconds: 7 }));
      const response = await ask();
      if (response.status === 429) expect(response.headers.get('retry-after')).toBe('7');
      expect(REPORT_CODES).toContain(code);
      await expectRefusal(response, response.status, code);
    }
  });
});

describe('bad input is invalid_input', () => {
  test.each<[string, RequestInit['body'], Record<string, string>]>([
    ['no body', '', {}],
    ['malformed JSON', '{"sourceUrl":', {}],
    ['a list', '[]', {}],
    ['null', 'null', {}],
    ['invalid UTF-8', Buffer.from('{"sourceUrl":"http://a.b","expectedRecord":"\xff"}', 'latin1'), {}],
    ['another media type', JSON.stringify(MISSING_RECORD), { 'content-type': 'text/plain' }],
    ['another charset', JSON.stringify(MISSING_RECORD), { 'content-type': 'application/json; charset=latin1' }],
    ['a content encoding', JSON.stringify(MISSING_RECORD), { 'content-encoding': 'gzip' }],
  ])('for %s', async (_, body, changed) => {
    await expectRefusal(await submit(body, changed), 400, 'invalid_input');
    expect(edge.calls).toEqual([]);
  });

  test('for unknown and repeated parameters and a path that is not UTF-8', async () => {
    const post = (path: string) =>
      fetch(edge.url + path, { method: 'POST', headers: headers(), body: JSON.stringify(MISSING_RECORD) });
    for (const query of ['?a=1', '?a=1&a=2', '?=', '?a=%', '?a=%ff'])
      await expectRefusal(await post(`/api/v1/data-reports${query}`), 400, 'invalid_input');
    await expectRefusal(await read('%zz'), 400, 'invalid_input');
    await expectRefusal(await read('%ff'), 400, 'invalid_input');
    expect(edge.calls).toEqual([]);
  });
});

const TEXT = 'x'.repeat(1000);
const refusedBodies: readonly (readonly [string, Record<string, unknown>])[] = [
  ['no sourceUrl', { sourceUrl: undefined }],
  ['an empty sourceUrl', { sourceUrl: '' }],
  ['a sourceUrl of 2,049 characters', { sourceUrl: `https://example.org/${'a'.repeat(2049 - 20)}` }],
  ['a sourceUrl that is no string', { sourceUrl: 1 }],
  ['no expectedRecord', { expectedRecord: undefined }],
  ['an empty expectedRecord', { expectedRecord: '' }],
  ['an expectedRecord of 1,001 characters', { expectedRecord: `${TEXT}x` }],
  ['null where a field may be absent', { jurisdictionSlug: null }],
  ['an empty jurisdictionSlug', { jurisdictionSlug: '' }],
  ['a jurisdictionSlug of 101 characters', { jurisdictionSlug: 'a'.repeat(101) }],
  ['a jurisdictionSlug with a capital', { jurisdictionSlug: 'Dallas' }],
  ['a jurisdictionSlug with two hyphens', { jurisdictionSlug: 'fort--worth' }],
  ['a jurisdictionSlug that ends in a hyphen', { jurisdictionSlug: 'dallas-' }],
  ['a jurisdictionSlug with an underscore', { jurisdictionSlug: 'fort_worth' }],
  ['a jurisdictionSlug with a line feed', { jurisdictionSlug: 'dallas\n' }],
  ['another recordKind', { recordKind: 'meeting' }],
  ['a day that there is not', { recordDate: '2025-02-29' }],
  ['a date with a time', { recordDate: '2026-01-01T00:00:00Z' }],
  ['a date in another order', { recordDate: '01/02/2026' }],
  ['an empty sourceRecordId', { sourceRecordId: '' }],
  ['a sourceRecordId of 201 characters', { sourceRecordId: 'a'.repeat(201) }],
  ['a sourceRecordId that starts with a sign', { sourceRecordId: '/a' }],
  ['a sourceRecordId with a space', { sourceRecordId: 'a b' }],
  ['an empty requestId', { requestId: '' }],
  ['a requestId of 129 characters', { requestId: 'a'.repeat(129) }],
  ['a requestId with a slash', { requestId: 'a/b' }],
  ['a field that there is not', { email: 'a@example.org' }],
  ['a token in the body', { idempotencyToken: 'a' }],
  ['a queryContext without a surface', { queryContext: { searchTerms: 'x' } }],
  [
    'a queryContext with a field that there is not',
    { queryContext: { surface: { kind: 'mcp', tool: 'search_agenda' }, user: 'x' } },
  ],
  ['empty searchTerms', { queryContext: { searchTerms: '', surface: { kind: 'mcp', tool: 'search_agenda' } } }],
  [
    'searchTerms of 201 characters',
    { queryContext: { searchTerms: 'x'.repeat(201), surface: { kind: 'mcp', tool: 'search_agenda' } } },
  ],
  [
    'a filter that there is not',
    { queryContext: { filters: { county: 'dallas' }, surface: { kind: 'mcp', tool: 'search_agenda' } } },
  ],
  ['a surface of no kind', { queryContext: { surface: {} } }],
  ['a surface of another kind', { queryContext: { surface: { kind: 'web', route: '/' } } }],
  ['a route of another kind of surface', { queryContext: { surface: { kind: 'mcp', route: '/api/v1/data/changes' } } }],
  ['a route that there is not', { queryContext: { surface: { kind: 'rest', route: '/api/v1/data/health' } } }],
  ['a route with its id filled in', { queryContext: { surface: { kind: 'rest', route: '/api/v1/agenda/items/1' } } }],
  ['a tool that there is not', { queryContext: { surface: { kind: 'mcp', tool: 'delete_all' } } }],
  [
    'a tool beside a route',
    { queryContext: { surface: { kind: 'rest', route: '/api/v1/data/changes', tool: 'search_agenda' } } },
  ],
];
const filtered = (filters: object) => ({
  queryContext: { filters, surface: { kind: 'rest', route: '/api/v1/public/coverage' } },
});
const refusedFilters: readonly (readonly [string, Record<string, unknown>])[] = [
  ...(
    [
      'jurisdictionSlug',
      'bodySlug',
      'topicSlug',
      'recordKind',
      'dateFrom',
      'dateTo',
      'sourceSystem',
      'sourceRecordId',
    ] as const
  ).map((name) => [`an empty filter ${name}`, filtered({ [name]: '' })] as const),
  ...(['jurisdictionSlug', 'bodySlug', 'topicSlug'] as const).map(
    (name) => [`a ${name} of 101`, filtered({ [name]: 'a'.repeat(101) })] as const,
  ),
  ...(['sourceSystem', 'sourceRecordId'] as const).map(
    (name) => [`a ${name} of 201`, filtered({ [name]: 'a'.repeat(201) })] as const,
  ),
];

describe('a body is refused for', () => {
  test.each([...refusedBodies, ...refusedFilters])('%s', async (_, change) => {
    await expectRefusal(await submit(JSON.stringify({ ...MISSING_RECORD, ...change })), 400, 'invalid_input');
    expect(edge.calls).toEqual([]);
  });
});

describe('a body may have', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a sourceUrl of 2,048 characters', { sourceUrl: `https://example.org/${'a'.repeat(2048 - 20)}` }],
    ['an expectedRecord of 1,000 characters', { expectedRecord: TEXT }],
    ['a jurisdictionSlug of 100 characters', { jurisdictionSlug: 'a'.repeat(100) }],
    ['a leap day', { recordDate: '2024-02-29' }],
    ['either kind of record', { recordKind: 'record_stream' }],
    ['a sourceRecordId of 200 characters', { sourceRecordId: `A${'b/:.-_'.repeat(33)}c` }],
    ['a requestId of 128 characters', { requestId: 'a'.repeat(128) }],
    ['empty filters', filtered({})],
    [
      'filters at their bounds',
      filtered({
        jurisdictionSlug: 'a'.repeat(100),
        bodySlug: 'b',
        topicSlug: 'c'.repeat(100),
        sourceSystem: 'd'.repeat(200),
        sourceRecordId: 'e'.repeat(200),
      }),
    ],
  ])('%s', async (_, change) => {
    const body = { ...MISSING_RECORD, ...change };
    expect((await submit(JSON.stringify(body))).status).toBe(202);
    expect(edge.calls).toMatchObject([
      { name: 'submitDataReport', input: { surface: 'rest', accountId: edge.accountId, input: body } },
    ]);
  });
});
