import { createCivicSnapshot } from './create-civic-snapshot.ts';
import { createFeedSubscription } from './create-feed-subscription.ts';
import { getAgendaHit } from './get-agenda-hit.ts';
import { getDataReport } from './get-data-report.ts';
import { getOpenApiDocument } from './get-openapi-document.ts';
import { getPublicBodyCadence } from './get-public-body-cadence.ts';
import { listDfwResearchCoverage } from './list-dfw-research-coverage.ts';
import { listFeedSubscriptions } from './list-feed-subscriptions.ts';
import { listPublicSourceStatuses } from './list-public-source-statuses.ts';
import { listRecentAgendaHits } from './list-recent-agenda-hits.ts';
import { listUpcomingAgendaHits } from './list-upcoming-agenda-hits.ts';
import { postMcpJsonRpc } from './post-mcp-json-rpc.ts';
import { readCivicChanges } from './read-civic-changes.ts';
import { readCivicHealth } from './read-civic-health.ts';
import { readCivicRecords } from './read-civic-records.ts';
import { readCivicSnapshotPage } from './read-civic-snapshot-page.ts';
import { readFeedSubscriptionChanges } from './read-feed-subscription-changes.ts';
import { revokeFeedSubscription } from './revoke-feed-subscription.ts';
import { submitDataReport } from './submit-data-report.ts';
import type { ClosedOperation } from './operation.ts';

const CLOSED_ROUTE = {
  path: '/api/mcp',
  tag: 'Tools',
  summary: 'Closed legacy route',
  description:
    'This legacy route is closed: it answers 403 `mcp_prelaunch` whatever it is sent. It is no alias of `/api/v1/mcp`.',
  example: { parameters: {} },
  access: 'closed',
  refusals: ['mcp_prelaunch'],
} as const;

const getPrelaunchMcp = {
  operationId: 'getPrelaunchMcp',
  method: 'GET',
  ...CLOSED_ROUTE,
} as const satisfies ClosedOperation;
const postPrelaunchMcp = {
  operationId: 'postPrelaunchMcp',
  method: 'POST',
  ...CLOSED_ROUTE,
} as const satisfies ClosedOperation;

export const PUBLIC_OPERATIONS = {
  listRecentAgendaHits,
  getAgendaHit,
  listUpcomingAgendaHits,
  listDfwResearchCoverage,
  getPublicBodyCadence,
  listPublicSourceStatuses,
} as const;

export type PublicOperationId = keyof typeof PUBLIC_OPERATIONS;

export const CLOSED_OPERATIONS = { getPrelaunchMcp, postPrelaunchMcp } as const;

export const CUSTOMER_OPERATIONS = {
  createFeedSubscription,
  listFeedSubscriptions,
  readFeedSubscriptionChanges,
  revokeFeedSubscription,
  readCivicChanges,
  createCivicSnapshot,
  readCivicSnapshotPage,
  readCivicRecords,
  readCivicHealth,
  submitDataReport,
  getDataReport,
} as const;

export type CustomerOperationId = keyof typeof CUSTOMER_OPERATIONS;

/** Every operation of the interface, in the order of the API reference. */
export const OPERATIONS = {
  ...PUBLIC_OPERATIONS,
  getOpenApiDocument,
  ...CLOSED_OPERATIONS,
  postMcpJsonRpc,
  ...CUSTOMER_OPERATIONS,
} as const;

export type OperationId = keyof typeof OPERATIONS;
