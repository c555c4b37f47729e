import type { OperationId } from '../../contract/operations.ts';
import type { Tampered } from './tampering-server.ts';

type Alter = (tampered: Tampered) => void;

const json = (change: (body: Record<string, never>) => unknown) => (tampered: Tampered) => {
  tampered.body = JSON.stringify(change(JSON.parse(tampered.body) as Record<string, never>));
};
const first = (change: (item: Record<string, unknown>) => void, at: (body: never) => readonly unknown[] | object) =>
  json((body) => {
    const value = at(body as never);
    change((Array.isArray(value) ? value[0] : value) as Record<string, unknown>);
    return body;
  });
const listed = ({ data }: { data: object[] }) => data;
const items = ({ data }: { data: { items: object[] } }) => data.items;
const one = ({ data }: { data: object }) => data;

/** One wrong thing deep in an answer of each served operation. */
export const WRONG_BODIES: Readonly<Record<OperationId, Alter>> = {
  listRecentAgendaHits: first((hit) => (hit['confidence'] = 101), listed),
  getAgendaHit: first((hit) => delete hit['title'], one),
  listUpcomingAgendaHits: first(
    (hit) => (hit['matchId'] = '1'),
    ({ data }: { data: { hits: object[] } }) => data.hits,
  ),
  listDfwResearchCoverage: first((item) => (item['level'] = 'village'), listed),
  getPublicBodyCadence: first((cadence) => delete cadence['timezone'], one),
  listPublicSourceStatuses: first((item) => (item['status'] = 'fine'), listed),
  getOpenApiDocument: json((document) => ({ ...document, openapi: '2.0' })),
  getPrelaunchMcp: json(() => ({ error: { code: 'not_found', message: 'none' } })),
  postPrelaunchMcp: json(() => ({ error: { code: 'mcp_prelaunch' } })),
  postMcpJsonRpc: json((message) => ({ ...(message as object), id: { any: 1 } })),
  readCivicChanges: first((change) => (change['changedAt'] = 'yesterday'), items),
  createCivicSnapshot: first(
    (counts) => delete counts['topics'],
    ({ data }: { data: { counts: object } }) => data.counts,
  ),
  createFeedSubscription: first((feed) => (feed['resource'] = 'topic'), one),
  listFeedSubscriptions: first((list) => (list['activeCount'] = -1), one),
  readFeedSubscriptionChanges: first((change) => delete change['cursor'], items),
  revokeFeedSubscription: first((revoked) => delete revoked['revokedAt'], one),
  readCivicSnapshotPage: first((item) => delete item['id'], items),
  readCivicRecords: first((item) => (item['version'] = 0), items),
  readCivicHealth: first(
    (head) => delete head['cursor'],
    ({ data }: { data: { pipeline: { head: object } } }) => data.pipeline.head,
  ),
  submitDataReport: first((receipt) => (receipt['nextCheckAt'] = 'tomorrow'), one),
  getDataReport: first((report) => (report['status'] = 'lost'), one),
};
