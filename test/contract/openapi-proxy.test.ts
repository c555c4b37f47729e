import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CUSTOMER_OPERATIONS,
  type CustomerOperationId,
  type OperationId,
  OPERATIONS,
  PUBLIC_OPERATIONS,
  type PublicOperationId,
} from '../../contract/operations.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';
import { RESOURCES, type Resource } from '../../domain/records/resources.ts';
import { idempotent, MISSING_RECORD, WHOLE_MISSING_RECORD } from '../support/missing-record.ts';
import type { Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';
import { startTamperingServer, type Tampered, type TamperingServer } from '../support/tampering-server.ts';
import {
  documentedAnswers,
  expectAnswer,
  expectEverything,
  expectGood,
  expectRefused,
  isOfFailure,
  type Page,
} from '../support/as-documented.ts';
import { expectSubscriptionLife, expectSubscriptionRefusals } from '../support/documented-subscriptions.ts';
import { type OperationRequest, startValidatingProxy, type ValidatingProxy } from '../support/validating-proxy.ts';
import { expectToolAnswers, expectToolRefusals, unacceptableToolRequest } from '../support/documented-tools.ts';
import { WRONG_BODIES } from '../support/wrong-bodies.ts';

/** Two services with separate feeds; the second allows each address one request per public operation. */
const installation = await makeSharedInstallation('civic-contract-');
const strictInstallation = await makeSharedInstallation('civic-contract-');
let service: Service;
let strict: Service;
let tampering: TamperingServer;
let toService: ValidatingProxy;
let toStrict: ValidatingProxy;
let toTampered: ValidatingProxy;
let key: string;
const limited: Record<'civic:read' | 'civic:export', string> = { 'civic:read': '', 'civic:export': '' };
let unpaid: string;

beforeAll(async () => {
  service = await installation.start({ sample: 'on' });
  strict = await strictInstallation.start({ sample: 'on', env: { CIVIC_PUBLIC_LIMIT: '1/86400' } });
  key = service.key!;
  const accounts = await installation.civicHere([
    'accounts',
    'open',
    '--name',
    'Narrow',
    '--channel',
    'subscription',
    '--tier',
    'pro',
    '--paid-until',
    '2099-01-01T00:00:00Z',
    '--json',
  ]);
  const { accountId } = JSON.parse(accounts.stdout) as { accountId: string };
  for (const scope of ['civic:read', 'civic:export'] as const) {
    const issued = await installation.civicHere(['keys', 'issue', '--account', accountId, '--scope', scope, '--json']);
    limited[scope] = (JSON.parse(issued.stdout) as { key: string }).key;
  }
  const opened = await installation.civicHere([
    'accounts',
    'open',
    '--name',
    'Unpaid',
    '--channel',
    'subscription',
    '--json',
  ]);
  const { accountId: unpaidId } = JSON.parse(opened.stdout) as { accountId: string };
  const issued = await installation.civicHere([
    'keys',
    'issue',
    '--account',
    unpaidId,
    '--scope',
    'civic:read',
    '--json',
  ]);
  unpaid = (JSON.parse(issued.stdout) as { key: string }).key;
  tampering = await startTamperingServer(service.baseUrl);
  toService = await startValidatingProxy(service.baseUrl);
  toStrict = await startValidatingProxy(strict.baseUrl);
  toTampered = await startValidatingProxy(tampering.url, buildOpenApiDocument(service.baseUrl));
});

afterAll(async () => {
  await Promise.all([toService, toStrict, toTampered].map((proxy) => proxy?.close()));
  await tampering?.close();
  await service?.stop();
  await strict?.stop();
  await installation.close();
  await strictInstallation.close();
});

const good = <Body>(id: OperationId, request?: OperationRequest): Promise<Body> =>
  expectGood<Body>(toService, id, request);

const makeSnapshot = async (): Promise<{
  readonly snapshotId: string;
  readonly counts: Readonly<Record<Resource, number>>;
}> =>
  (await good<{ data: { snapshotId: string; counts: Record<Resource, number> } }>('createCivicSnapshot', { key })).data;

describe('the feed', () => {
  test('is answered page by page as the document describes, as a whole and per resource', async () => {
    const all = await expectEverything<{ resource: Resource }>(toService, 'readCivicChanges', { key });
    expect(all.length).toBeGreaterThan(300);
    for (const resource of RESOURCES) {
      const some = await expectEverything<{ resource: Resource }>(toService, 'readCivicChanges', {
        key,
        query: `?limit=150&resource=${resource}`,
      });
      expect(some.length).toBe(all.filter((change) => change.resource === resource).length);
      expect(some.length).toBeGreaterThan(0);
    }
  });

  test('refuses bad parameters and positions of another feed as the document describes', async () => {
    for (const query of [
      '?limit=0',
      '?limit=x',
      '?resource=topic',
      '?unknown=1',
      '?limit=1&limit=2',
      '?cursor=',
      '?cursor=no',
    ]) {
      await expectRefused(toService, 'readCivicChanges', 400, 'invalid_parameter', { key, query });
    }
    const other = await strict.fetch('/api/v1/data/changes?limit=1');
    const { meta } = (await other.json()) as Page<unknown>;
    await expectRefused(toService, 'readCivicChanges', 410, 'cursor_expired', {
      key,
      query: `?cursor=${meta.nextCursor}`,
    });
  });
});

describe('snapshots', () => {
  test('are answered page by page as the document describes, for each resource', async () => {
    const { snapshotId, counts } = await makeSnapshot();
    for (const resource of RESOURCES) {
      const items = await expectEverything(toService, 'readCivicSnapshotPage', {
        key,
        params: { snapshotId, resource },
      });
      expect({ resource, count: items.length }).toEqual({ resource, count: counts[resource] });
    }
  });

  test('refuse bad, unknown and foreign input as the document describes', async () => {
    const { snapshotId } = await makeSnapshot();
    await expectRefused(toService, 'createCivicSnapshot', 400, 'invalid_parameter', { key, query: '?unknown=1' });
    const page = (status: number, code: string, params: Record<string, string>, query = '') =>
      expectRefused(toService, 'readCivicSnapshotPage', status, code, { key, params, query });
    await page(400, 'invalid_parameter', { snapshotId, resource: 'topic' });
    await page(400, 'invalid_parameter', { snapshotId: 'latest', resource: 'topics' });
    await page(400, 'invalid_parameter', { snapshotId, resource: 'topics' }, '?limit=0');
    await page(400, 'invalid_parameter', { snapshotId, resource: 'topics' }, '?cursor=no');
    await page(404, 'not_found', { snapshotId: randomUUID(), resource: 'topics' });
    await expectRefused(toService, 'readCivicSnapshotPage', 404, 'not_found', {
      key: limited['civic:export'],
      params: { snapshotId, resource: 'topics' },
    });
  });
});

describe('a batch', () => {
  test('of records of every resource is answered as the document describes', async () => {
    const changes = await expectEverything<{ resource: Resource; recordId: string }>(toService, 'readCivicChanges', {
      key,
    });
    const requests = RESOURCES.map((resource) => ({
      resource,
      ids: [
        ...changes
          .filter((change) => change.resource === resource)
          .map(({ recordId }) => recordId)
          .slice(0, 8),
        randomUUID(),
      ],
    }));
    const { data } = await good<Page<{ resource: Resource }>>('readCivicRecords', { key, body: { requests } });
    expect(new Set(data.items.map(({ resource }) => resource))).toEqual(new Set(RESOURCES));
  });

  test('that is bad or too large is refused as the document describes', async () => {
    const ids = Array.from({ length: 101 }, () => randomUUID());
    for (const body of [
      {},
      { requests: [] },
      { requests: [{ resource: 'topic', ids: ['1'] }] },
      { requests: [{ resource: 'topics', ids }] },
    ]) {
      await expectRefused(toService, 'readCivicRecords', 400, 'invalid_parameter', { key, body });
    }
    const text = { 'content-type': 'text/plain' };
    await expectRefused(toService, 'readCivicRecords', 400, 'invalid_parameter', {
      key,
      body: '{"requests":',
      headers: text,
    });
    const large = { requests: [{ resource: 'topics', ids: ['x'.repeat(65_536)] }] };
    await expectRefused(toService, 'readCivicRecords', 413, 'request_too_large', { key, body: large });
  });
});

describe('polling subscriptions', () => {
  test('are created, found again, listed, polled and ended as the document describes', () =>
    expectSubscriptionLife(toService, key));

  test('are refused as documented: bad input, another filter, no room, unknown, foreign positions', async () => {
    const { meta } = (await (await strict.fetch('/api/v1/data/changes?limit=1')).json()) as Page<unknown>;
    await expectSubscriptionRefusals(toService, key, meta.nextCursor ?? '');
  });
});

test('health is answered and refused as the document describes', async () => {
  await good('readCivicHealth', { key });
  await expectRefused(toService, 'readCivicHealth', 400, 'invalid_parameter', { key, query: '?unknown=1' });
});

const nowhere = '00000000-0000-0000-0000-000000000000';
const somewhere = { snapshotId: nowhere, subscriptionId: nowhere, reportId: nowhere, resource: 'topics' };
const bodies = {
  readCivicRecords: { requests: [{ resource: 'topics', ids: ['1'] }] },
  submitDataReport: MISSING_RECORD,
};
const customers = Object.keys(CUSTOMER_OPERATIONS) as CustomerOperationId[];

test.each(customers)(
  '%s refuses a missing key, an unknown key and a key without the scope as the document describes',
  async (id) => {
    const request = {
      params: somewhere,
      headers: idempotent(),
      ...(id in bodies ? { body: bodies[id as keyof typeof bodies] } : {}),
    };
    await expectRefused(toService, id, 401, 'unauthorized', request);
    await expectRefused(toService, id, 401, 'unauthorized', { ...request, key: 'crs_unknown' });
    const { scope } = OPERATIONS[id];
    // Any active key of an account with a paid period may report.
    const narrow = scope === null ? unpaid : limited[scope === 'civic:read' ? 'civic:export' : 'civic:read'];
    await expectRefused(toService, id, 403, 'forbidden', { ...request, key: narrow });
  },
);

test('a report is stored, stored once, read and refused as the document describes', async () => {
  const headers = idempotent();
  const request = { key, headers, body: WHOLE_MISSING_RECORD };
  const receipt = await good<{ data: { reportId: string } }>('submitDataReport', request);
  expect(await good('submitDataReport', request)).toEqual(receipt);
  await expectRefused(toService, 'submitDataReport', 409, 'replay_conflict', { ...request, body: MISSING_RECORD });
  await expectRefused(toService, 'submitDataReport', 400, 'invalid_input', { ...request, body: {} });
  const { reportId } = receipt.data;
  await good('getDataReport', { key, params: { reportId } });
  await expectRefused(toService, 'getDataReport', 404, 'report_not_found', { key, params: { reportId: randomUUID() } });
  await expectRefused(toService, 'getDataReport', 400, 'invalid_input', { key, params: { reportId: 'latest' } });
});

interface Hits {
  readonly data: { readonly hits: readonly { readonly matchId: string }[]; readonly nextCursor?: string | null };
}

/** Each page of a topic, by cursor. */
async function upcoming(topicSlug: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { data } = await good<Hits>('listUpcomingAgendaHits', {
      query: `?topicSlug=${topicSlug}&count=true${cursor}`,
    });
    ids.push(...data.hits.map(({ matchId }) => matchId));
    if ((data.nextCursor ?? null) === null) return ids;
    cursor = `&cursor=${data.nextCursor}`;
  }
}

/** The only bodies with a cadence. */
const CADENCES = [
  ['dallas', 'city-council'],
  ['dallas-county', 'commissioners-court'],
  ['ellis-county', 'commissioners-court'],
  ['fort-worth', 'city-council'],
  ['kaufman-county', 'commissioners-court'],
  ['parker-county', 'commissioners-court'],
  ['wise-county', 'commissioners-court'],
] as const;
const dallas = { slug: 'dallas', bodySlug: 'city-council' };

describe('the public operations', () => {
  test('answer hits as the document describes: recent, upcoming by cursor and by page, and by id', async () => {
    for (const query of [
      '',
      '?limit=1',
      '?jurisdictionSlug=sample-city',
      '?topic=zoning',
      '?excludeTopicSlug=zoning',
      '?limit=50',
    ]) {
      await good('listRecentAgendaHits', { query });
    }
    const topics = await expectEverything<{ data: { slug: string } }>(toService, 'readCivicChanges', {
      key,
      query: '?limit=100&resource=topics',
    });
    const hits: string[] = [];
    for (const { data } of topics) hits.push(...(await upcoming(data.slug)));
    expect(hits.length).toBeGreaterThan(0);
    await good('listUpcomingAgendaHits', { query: '?topic=zoning&page=1' });
    for (const matchId of hits) await good('getAgendaHit', { params: { matchId } });
  });

  test('answer every page of the coverage catalogue as the document describes', async () => {
    interface Coverage {
      readonly data: readonly object[];
      readonly meta: { readonly pagination: { readonly nextCursor: string | null } };
    }
    let count = 0;
    for (let cursor = ''; ; ) {
      const { data, meta } = await good<Coverage>('listDfwResearchCoverage', {
        query: `?includeInactive=true${cursor}`,
      });
      count += data.length;
      if (meta.pagination.nextCursor === null) break;
      cursor = `&cursor=${meta.pagination.nextCursor}`;
    }
    expect(count).toBe(238 + 16 + 1);
    for (const query of ['?jurisdictionSlug=dallas', '?county=dallas&limit=1', '?family=city.council_agendas']) {
      await good('listDfwResearchCoverage', { query });
    }
  });

  test('answer the seven cadences and the source statuses as the document describes', async () => {
    for (const [slug, bodySlug] of CADENCES) await good('getPublicBodyCadence', { params: { slug, bodySlug } });
    for (const query of ['', '?jurisdictionSlug=dallas', '?body=city-council'])
      await good('listPublicSourceStatuses', { query });
  });

  test('refuse bad and unknown input as the document describes', async () => {
    const bad: readonly (readonly [PublicOperationId, readonly string[]])[] = [
      ['listRecentAgendaHits', ['?limit=0', '?unknown=1', '?limit=1&limit=2', '?topicSlug=']],
      [
        'listUpcomingAgendaHits',
        [
          '',
          '?topic=none-such',
          '?topic=zoning&count=false',
          '?topic=zoning&cursor=x&page=1',
          '?topic=zoning&page=101',
        ],
      ],
      ['listDfwResearchCoverage', ['?limit=21', '?county=none', '?family=city.none', '?cursor=no']],
      ['listPublicSourceStatuses', ['?unknown=1', '?bodySlug=']],
    ];
    for (const [id, queries] of bad) {
      for (const query of queries) await expectRefused(toService, id, 400, 'invalid_parameter', { query });
    }
    await expectRefused(toService, 'getAgendaHit', 400, 'invalid_parameter', { params: { matchId: 'latest' } });
    await expectRefused(toService, 'getAgendaHit', 404, 'not_found', { params: { matchId: randomUUID() } });
    await expectRefused(toService, 'getPublicBodyCadence', 404, 'not_found', {
      params: { slug: 'dallas', bodySlug: 'zoo' },
    });
    await expectRefused(toService, 'getPublicBodyCadence', 400, 'invalid_parameter', {
      params: dallas,
      query: '?unknown=1',
    });
    await expectRefused(toService, 'getOpenApiDocument', 400, 'invalid_parameter', { query: '?unknown=1' });
  });

  test('answer 304 to a current ETag as the document describes', async () => {
    const [matchId = ''] = await upcoming('short-term-rentals');
    const requests: Readonly<Record<string, OperationRequest>> = {
      getAgendaHit: { params: { matchId } },
      listUpcomingAgendaHits: { query: '?topic=zoning' },
      getPublicBodyCadence: { params: dallas },
    };
    for (const id of [...(Object.keys(PUBLIC_OPERATIONS) as PublicOperationId[]), 'getOpenApiDocument'] as const) {
      // The proxy requests no compressed form by default, and each form has its own ETag.
      const { headers } = await expectAnswer(toService, id, 200, requests[id]);
      await expectAnswer(toService, id, 304, {
        ...requests[id],
        headers: { 'if-none-match': headers.get('etag') ?? '' },
      });
    }
  });

  test.each(Object.keys(PUBLIC_OPERATIONS) as PublicOperationId[])(
    '%s is refused with 429 as the document describes',
    async (id) => {
      const request = {
        params: { matchId: randomUUID(), ...dallas },
        query: id === 'listUpcomingAgendaHits' ? '?topic=zoning' : '',
      };
      await expectAnswer(toStrict, id, id === 'getAgendaHit' ? 404 : 200, request);
      await expectRefused(toStrict, id, 429, 'rate_limited', request);
    },
  );
});

describe('the tool endpoint', () => {
  test('answers in both eras as the document describes', () => expectToolAnswers(toService, key));
  test('refuses as the document describes', () =>
    expectToolRefusals(toService, { key, narrow: limited['civic:read'] }));
});

test('the document and the closed routes are answered as the document describes', async () => {
  expect(await good('getOpenApiDocument')).toEqual(buildOpenApiDocument(service.baseUrl));
  for (const id of ['getPrelaunchMcp', 'postPrelaunchMcp'] as const) await good(id);
});

test('every documented status of a served operation is answered, except those that only a failure causes', () => {
  const answered = new Set([...toService.answered, ...toStrict.answered]);
  expect(documentedAnswers().filter((each) => !isOfFailure(each) && !answered.has(each))).toEqual([]);
});

describe('the proxy finds', () => {
  /** A subscription, created or found, so that both answers of that operation are the same. */
  const firstFeed = async (): Promise<string> => {
    const { text } = await toService.ask('createFeedSubscription', { key, body: { name: 'first' } });
    return (JSON.parse(text) as { data: { id: string } }).data.id;
  };

  const askedOf = async (id: OperationId): Promise<OperationRequest> => {
    if (id === 'getAgendaHit') return { params: { matchId: (await upcoming('short-term-rentals'))[0]! } };
    if (id === 'listUpcomingAgendaHits') return { query: '?topic=short-term-rentals' };
    if (id === 'readCivicSnapshotPage')
      return { key, params: { snapshotId: (await makeSnapshot()).snapshotId, resource: 'topics' } };
    if (id === 'readCivicRecords') {
      const { data } = await good<Page<{ recordId: string }>>('readCivicChanges', {
        key,
        query: '?limit=1&resource=topics',
      });
      return { key, body: { requests: [{ resource: 'topics', ids: data.items.map(({ recordId }) => recordId) }] } };
    }
    if (id === 'getPublicBodyCadence') return { params: dallas };
    if (id === 'createFeedSubscription') return firstFeed().then(() => ({ key, body: { name: 'first' } }));
    if (id === 'readFeedSubscriptionChanges') {
      const { meta } = await good<Page<unknown>>('readCivicChanges', { key, query: '?limit=1' });
      return { key, params: { subscriptionId: await firstFeed() }, query: `?limit=1&cursor=${meta.nextCursor}` };
    }
    if (id === 'revokeFeedSubscription') return { key, params: { subscriptionId: await firstFeed() } };
    const report = { key, headers: idempotent(), body: MISSING_RECORD };
    if (id === 'submitDataReport') return report;
    if (id === 'getDataReport') {
      const { data } = await good<{ data: { reportId: string } }>('submitDataReport', report);
      return { key, params: { reportId: data.reportId } };
    }
    if (id === 'postMcpJsonRpc') return { key, ...unacceptableToolRequest };
    return OPERATIONS[id].access === 'key' ? { key } : {};
  };

  test.each(Object.keys(WRONG_BODIES) as OperationId[])(
    'a wrong body of %s, and nothing in the right one',
    async (id) => {
      const request = await askedOf(id);
      tampering.alter = () => undefined;
      const right = await toTampered.ask(id, request);
      expect(right.ofResponse).toEqual([]);
      tampering.alter = WRONG_BODIES[id];
      const wrong = await toTampered.ask(id, request);
      expect(wrong.status).toBe(right.status);
      expect(wrong.text).not.toBe(right.text);
      expect(wrong.ofResponse).not.toEqual([]);
    },
  );

  test.each<readonly [string, (tampered: Tampered) => void, RegExp]>([
    ['a success that is not documented', (tampered) => (tampered.status = 206), /returned status code/],
    ['a refusal that is not documented', (tampered) => (tampered.status = 418), /returned status code/],
    ['another media type', ({ headers }) => headers.set('content-type', 'text/html'), /media type/],
    ['another cache directive', ({ headers }) => headers.set('cache-control', 'private'), /header.*cache-control/i],
    ['a missing cache directive', ({ headers }) => headers.delete('cache-control'), /header.*cache-control/i],
    ['a missing validator', ({ headers }) => headers.delete('etag'), /header.*etag/i],
    ['a missing request id', ({ headers }) => headers.delete('x-request-id'), /header.*x-request-id/i],
  ])('%s', async (_, alter, message) => {
    tampering.alter = alter;
    const { ofResponse } = await toTampered.ask('listPublicSourceStatuses');
    expect(ofResponse.map((violation) => violation.message).join('\n')).toMatch(message);
  });
});
