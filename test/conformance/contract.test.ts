import { expect, test } from 'vitest';
import type { Operation } from '../../contract/operation.ts';
import { OPERATIONS } from '../../contract/operations.ts';
import { STATUSES } from '../../contract/error-codes.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { REJECTIONS } from '../../domain/rejections.ts';

/** Copied from the specification, so that a change of the program does not change the expected values. */
const INVENTORY = [
  ['listRecentAgendaHits', 'GET', '/api/v1/public/agenda-hits', 'public', 200],
  ['getAgendaHit', 'GET', '/api/v1/public/agenda-hits/{matchId}', 'public', 200],
  ['listUpcomingAgendaHits', 'GET', '/api/v1/public/upcoming-agenda-hits', 'public', 200],
  ['listDfwResearchCoverage', 'GET', '/api/v1/public/coverage', 'public', 200],
  ['getPublicBodyCadence', 'GET', '/api/v1/public/jurisdictions/{slug}/bodies/{bodySlug}/cadence', 'public', 200],
  ['listPublicSourceStatuses', 'GET', '/api/v1/public/source-status', 'public', 200],
  ['getOpenApiDocument', 'GET', '/api/openapi.json', 'public', 200],
  ['getPrelaunchMcp', 'GET', '/api/mcp', 'closed', 403],
  ['postPrelaunchMcp', 'POST', '/api/mcp', 'closed', 403],
  ['postMcpJsonRpc', 'POST', '/api/v1/mcp', 'mcp:read', 200],
  ['createFeedSubscription', 'POST', '/api/v1/data/subscriptions', 'civic:read', 201],
  ['listFeedSubscriptions', 'GET', '/api/v1/data/subscriptions', 'civic:read', 200],
  ['readFeedSubscriptionChanges', 'GET', '/api/v1/data/subscriptions/{subscriptionId}/changes', 'civic:read', 200],
  ['revokeFeedSubscription', 'DELETE', '/api/v1/data/subscriptions/{subscriptionId}', 'civic:read', 200],
  ['readCivicChanges', 'GET', '/api/v1/data/changes', 'civic:read', 200],
  ['createCivicSnapshot', 'POST', '/api/v1/data/snapshots', 'civic:export', 201],
  ['readCivicSnapshotPage', 'GET', '/api/v1/data/snapshots/{snapshotId}/{resource}', 'civic:export', 200],
  ['readCivicRecords', 'POST', '/api/v1/data/batch', 'civic:read', 200],
  ['readCivicHealth', 'GET', '/api/v1/data/health', 'civic:read', 200],
  ['submitDataReport', 'POST', '/api/v1/data-reports', 'any active key', 202],
  ['getDataReport', 'GET', '/api/v1/data-reports/{reportId}', 'any active key', 200],
];

const STATUS_TABLE: Readonly<Record<number, readonly string[]>> = {
  400: ['invalid_parameter', 'invalid_input'],
  401: ['unauthorized'],
  403: [
    'forbidden',
    'billing_channel_unset',
    'billing_entitlement_required',
    'feed_subscription_plan_required',
    'mcp_prelaunch',
    'access_denied',
  ],
  404: ['not_found', 'report_not_found'],
  409: ['feed_subscription_conflict', 'feed_subscription_limit_reached', 'replay_conflict'],
  410: ['cursor_expired'],
  413: ['request_too_large', 'response_too_large'],
  429: ['rate_limited', 'status_rate_limited', 'submit_rate_limited', 'report_limit_reached'],
  500: ['internal_error'],
  503: [
    'authentication_unavailable',
    'feed_unavailable',
    'queue_unavailable',
    'intake_paused',
    'worker_paused',
    'budget_exhausted',
    'service_unavailable',
    'lease_conflict',
    'state_conflict',
    'invalid_transition',
    'resolution_incomplete',
  ],
  504: ['timeout'],
};

const FEED_CODES = [
  'invalid_parameter',
  'unauthorized',
  'forbidden',
  'billing_channel_unset',
  'billing_entitlement_required',
  'feed_subscription_plan_required',
  'not_found',
  'feed_subscription_conflict',
  'feed_subscription_limit_reached',
  'cursor_expired',
  'request_too_large',
  'response_too_large',
  'rate_limited',
  'internal_error',
  'authentication_unavailable',
  'feed_unavailable',
  'timeout',
];

const REPORT_CODES = [
  'invalid_input',
  'unauthorized',
  'forbidden',
  'access_denied',
  'billing_channel_unset',
  'billing_entitlement_required',
  'report_not_found',
  'replay_conflict',
  'rate_limited',
  'submit_rate_limited',
  'status_rate_limited',
  'report_limit_reached',
  'queue_unavailable',
  'budget_exhausted',
  'intake_paused',
  'worker_paused',
  'lease_conflict',
  'state_conflict',
  'invalid_transition',
  'resolution_incomplete',
  'service_unavailable',
  'authentication_unavailable',
  'internal_error',
];

const PUBLIC_CODES = ['invalid_parameter', 'not_found', 'unauthorized', 'forbidden', 'rate_limited', 'internal_error'];

const accessOf = (operation: Operation): string =>
  operation.scope ?? (operation.access === 'public' ? 'public' : 'any active key');

test('the operations of the specification equal the contract, in the same order', () => {
  const operations = Object.entries(OPERATIONS).map(([id, operation]) => {
    expect(operation.operationId).toBe(id);
    const { method, path } = operation;
    return operation.access === 'closed'
      ? [id, method, path, 'closed', STATUSES[operation.refusals[0]]]
      : [id, method, path, accessOf(operation), operation.success.status];
  });
  expect(operations).toEqual(INVENTORY);
});

test('each refusal has the status of the specification', () => {
  for (const code of Object.keys(REJECTIONS)) {
    expect({ code, status: STATUSES[code as keyof typeof STATUSES] }).toEqual({
      code,
      status: Number(Object.entries(STATUS_TABLE).find(([, codes]) => codes.includes(code))?.[0]),
    });
  }
});

test('a data operation refuses only with codes of the feed envelope', () => {
  for (const { path, refusals } of Object.values(OPERATIONS)) {
    if (path.startsWith('/api/v1/data/')) for (const code of refusals) expect(FEED_CODES).toContain(code);
  }
});

test('a report operation refuses only with codes of the report envelope', () => {
  for (const { path, refusals } of Object.values(OPERATIONS)) {
    if (path.startsWith('/api/v1/data-reports')) for (const code of refusals) expect(REPORT_CODES).toContain(code);
  }
});

test('a public operation refuses only with codes of the public envelope', () => {
  for (const { path, refusals } of Object.values(OPERATIONS)) {
    if (path.startsWith('/api/v1/public/')) for (const code of refusals) expect(PUBLIC_CODES).toContain(code);
  }
});

test('there are eleven resources', () => {
  expect(RESOURCES).toHaveLength(11);
});
