import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CUSTOMER_OPERATIONS,
  type CustomerOperationId,
  OPERATIONS,
  PUBLIC_OPERATIONS,
  type PublicOperationId,
} from '../../contract/operations.ts';
import { STATUSES } from '../../contract/error-codes.ts';
import { documentRoutes } from '../../src/edge/documents/document-routes.ts';
import { buildOpenApiDocument } from '../../src/edge/documents/openapi.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { Rejection } from '../../domain/rejections.ts';
import { documentedAnswers, expectAnswer, expectRefused, isOfFailure } from '../support/as-documented.ts';
import { type EdgeFunctions, type HttpEdge, startHttpEdge } from '../support/http-edge.ts';
import { idempotent, MISSING_RECORD } from '../support/missing-record.ts';
import { ALL_TOOLS } from '../support/tool-answers.ts';
import { BOTH_TYPES, currentRequest } from '../support/tool-requests.ts';
import { startValidatingProxy, type ValidatingProxy } from '../support/validating-proxy.ts';

/** The real edge over failing functions, with Prism in front: the refusals that a working service does not answer. */
let edge: HttpEdge;
let toEdge: ValidatingProxy;
let clockFails = false;
beforeAll(async () => {
  const failingClock: Clock = {
    now: () => edge.now,
    sleep: (_, signal) => {
      if (clockFails) throw new Error('a defect');
      return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  };
  edge = await startHttpEdge({
    tools: { functions: ALL_TOOLS, clock: failingClock },
    chargeUnits: async () => ({ kind: 'exhausted', retryAfterSeconds: 3, states: [] }),
    documents: (baseUrl) => documentRoutes(baseUrl).map((route) => ({ ...route, body: failed })),
  });
  toEdge = await startValidatingProxy(edge.url, buildOpenApiDocument(edge.url));
});
afterAll(async () => {
  await toEdge?.close();
  await edge?.close();
});

async function failed(): Promise<never> {
  throw new Error('a defect');
}

const customers = Object.keys(CUSTOMER_OPERATIONS) as CustomerOperationId[];
const somewhere = {
  snapshotId: randomUUID(),
  resource: 'topics',
  subscriptionId: randomUUID(),
  reportId: randomUUID(),
};
const bodies = {
  readCivicRecords: { requests: [{ resource: 'topics', ids: ['1'] }] },
  createFeedSubscription: { name: 'feed' },
  submitDataReport: MISSING_RECORD,
};
const dallas = { slug: 'dallas', bodySlug: 'city-council' };

/** The catalogue is queried at once, other operations in time. */
const failing = (id: CustomerOperationId | PublicOperationId, error: Error): Partial<EdgeFunctions> => ({
  [id]: (): Promise<never> => {
    if (id === 'listDfwResearchCoverage') throw error;
    return Promise.reject(error);
  },
});

/** Operations with a soft failure. */
const WITHOUT_BACKEND: Readonly<Record<PublicOperationId, number>> = {
  listRecentAgendaHits: 200,
  getAgendaHit: 404,
  listUpcomingAgendaHits: 200,
  listDfwResearchCoverage: 500,
  getPublicBodyCadence: 200,
  listPublicSourceStatuses: 500,
};

test.each(customers)('%s answers each of its refusals as the document describes', async (id) => {
  const body = id in bodies ? { body: bodies[id as keyof typeof bodies] } : {};
  const request = { key: edge.keys.all, params: somewhere, headers: idempotent(), ...body };
  for (const code of OPERATIONS[id].refusals) {
    edge.answerWith(failing(id, new Rejection(code, 'refused')));
    await expectRefused(toEdge, id, STATUSES[code], code, request);
  }
  edge.answerWith(failing(id, new Error('a defect')));
  await expectRefused(toEdge, id, 500, 'internal_error', request);
  edge.identity = 'failing';
  await expectRefused(toEdge, id, 503, 'authentication_unavailable', request);
  edge.identity = 'working';
});

test.each(Object.keys(PUBLIC_OPERATIONS) as PublicOperationId[])(
  '%s answers a defect and a failing backend as the document describes',
  async (id) => {
    const request = {
      params: { matchId: randomUUID(), ...dallas },
      query: id === 'listUpcomingAgendaHits' ? '?topic=zoning' : '',
    };
    edge.answerWith(failing(id, new Rejection('internal_error', 'refused')));
    await expectRefused(toEdge, id, 500, 'internal_error', request);
    edge.answerWith(failing(id, new Error('the backend is down')));
    await expectAnswer(toEdge, id, WITHOUT_BACKEND[id], request);
  },
);

test('the tool endpoint answers oversized, excessive and broken requests as the document describes', async () => {
  const { headers, body } = currentRequest('tools/list');
  const request = { key: edge.keys.all, headers, body: JSON.parse(body) as unknown };
  const large = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { x: 'x'.repeat(65_536) } };
  await expectRefused(toEdge, 'postMcpJsonRpc', 413, 'request_too_large', { ...request, body: large });
  const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_coverage' } };
  const batch = { key: edge.keys.all, headers: { accept: BOTH_TYPES }, body: [1, 2].map((id) => ({ ...call, id })) };
  await expectRefused(toEdge, 'postMcpJsonRpc', 429, 'rate_limited', batch);
  edge.identity = 'failing';
  await expectRefused(toEdge, 'postMcpJsonRpc', 503, 'authentication_unavailable', request);
  edge.identity = 'working';
  clockFails = true;
  await expectRefused(toEdge, 'postMcpJsonRpc', 500, 'internal_error', request);
  clockFails = false;
});

test('a document that cannot be read is answered as the document describes', async () => {
  await expectRefused(toEdge, 'getOpenApiDocument', 500, 'internal_error');
});

test('a report that is too large is answered as the document describes', async () => {
  const body = { ...MISSING_RECORD, expectedRecord: 'x'.repeat(8192) };
  await expectRefused(toEdge, 'submitDataReport', 413, 'invalid_input', {
    key: edge.keys.all,
    headers: idempotent(),
    body,
  });
});

test('every status that only a failure causes has been answered for each served operation', () => {
  expect(documentedAnswers().filter((each) => isOfFailure(each) && !toEdge.answered.has(each))).toEqual([]);
});
