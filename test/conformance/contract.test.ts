import { expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/operations.ts';
import { STATUSES } from '../../src/contract/statuses.ts';
import { RESOURCES } from '../../src/domain/records/resources.ts';
import { REJECTIONS } from '../../src/domain/rejections.ts';

/** Written out from the specification, so that a change of the program cannot change what it is held against. */
const INVENTORY = [
  ['readCivicChanges', 'GET', '/api/v1/data/changes', 'civic:read', 200],
  ['createCivicSnapshot', 'POST', '/api/v1/data/snapshots', 'civic:export', 201],
  ['readCivicSnapshotPage', 'GET', '/api/v1/data/snapshots/{snapshotId}/{resource}', 'civic:export', 200],
  ['readCivicRecords', 'POST', '/api/v1/data/batch', 'civic:read', 200],
  ['readCivicHealth', 'GET', '/api/v1/data/health', 'civic:read', 200],
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

test('each operation has the method, path, scope and status of the specification', () => {
  const served = Object.entries(OPERATIONS).map(([id, { operationId, method, path, scope, success }]) => {
    expect(operationId).toBe(id);
    return [id, method, path, scope, success.status];
  });
  expect(served.filter(([id]) => INVENTORY.some(([known]) => known === id))).toEqual(INVENTORY);
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

test('there are eleven resources', () => {
  expect(RESOURCES).toHaveLength(11);
});
