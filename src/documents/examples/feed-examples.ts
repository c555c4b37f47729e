import { RESOURCES } from '../../domain/records/resources.ts';
import type { OperationExamples } from './operation-examples.ts';
import { CURSOR, MEETING, NEXT_CURSOR, SNAPSHOT_ID, SUBSCRIPTION_ID, TOPIC } from './record-examples.ts';

const EMPTY_DIGEST = '0'.repeat(64);
const TOPIC_DIGEST = '5d0b1f6f0c1c5b2f4a1e7f9b3c8d6e2a9f4b7c1d0e8a3f5b6c2d9e7f1a4b8c0d';
const DIGESTS = { ...Object.fromEntries(RESOURCES.map((resource) => [resource, EMPTY_DIGEST])), topics: TOPIC_DIGEST };
const COUNTS = { ...Object.fromEntries(RESOURCES.map((resource) => [resource, 0])), topics: 1 };

const CHANGES = {
  data: {
    items: [
      {
        cursor: CURSOR,
        resource: 'meetings',
        operation: 'upsert',
        recordId: MEETING.id,
        version: '3',
        changedAt: '2026-04-10T21:30:00.000Z',
        data: MEETING,
      },
      {
        cursor: NEXT_CURSOR,
        resource: 'documents',
        operation: 'remove',
        recordId: 'c2a9d1e0-6b7f-5a34-8c1d-9e0f1a2b3c4d',
        version: '2',
        changedAt: '2026-04-10T21:31:00.000Z',
      },
    ],
  },
  meta: { nextCursor: NEXT_CURSOR, hasMore: false, replayExpiresAt: '2026-05-10T21:31:00.000Z' },
};
const QUIET = { data: { items: [] }, meta: { nextCursor: NEXT_CURSOR, hasMore: false, replayExpiresAt: '2026-05-10T21:31:00.000Z' } };
const PRUNED = {
  ...QUIET,
  meta: {
    ...QUIET.meta,
    historyPruned: true,
    recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and go on from its boundaryCursor' }],
  },
};
const PAGES = {
  page: { summary: 'A cancelled meeting and a withdrawn document', value: CHANGES },
  quiet: { summary: 'Nothing new, and still a position to store', value: QUIET },
};

const SUBSCRIPTION = {
  id: SUBSCRIPTION_ID,
  name: 'meetings to warehouse',
  resource: 'meetings',
  keyId: '0197a3c4-0000-7000-8000-000000000001',
  startCursor: CURSOR,
  createdAt: '2026-04-01T00:00:00.000Z',
};

export const FEED_EXAMPLES = {
  readCivicChanges: {
    parameters: { cursor: CURSOR, resource: 'meetings', limit: 100 },
    success: { ...PAGES, pruned: { summary: 'A first read without a cursor, after older changes were pruned', value: PRUNED } },
  },
  createCivicSnapshot: {
    parameters: {},
    success: {
      snapshot: {
        summary: 'A snapshot of one topic',
        value: {
          data: {
            snapshotId: SNAPSHOT_ID,
            boundaryCursor: CURSOR,
            createdAt: '2026-04-10T22:00:00.000Z',
            expiresAt: '2026-04-17T22:00:00.000Z',
            counts: COUNTS,
            digests: DIGESTS,
          },
        },
      },
    },
  },
  readCivicSnapshotPage: {
    parameters: { snapshotId: SNAPSHOT_ID, resource: 'topics', limit: 100 },
    success: { page: { summary: 'The last page', value: { data: { items: [TOPIC] }, meta: { nextCursor: null, hasMore: false } } } },
  },
  readCivicRecords: {
    parameters: {},
    body: {
      batch: {
        summary: 'Two topics, one of which there is not',
        value: { requests: [{ resource: 'topics', ids: [TOPIC.id, '00000000-0000-0000-0000-000000000000'] }] },
      },
    },
    success: {
      records: {
        summary: 'The one that there is',
        value: { data: { items: [{ resource: 'topics', id: TOPIC.id, version: '1', changedAt: TOPIC.updatedAt, data: TOPIC }] } },
      },
    },
  },
  readCivicHealth: {
    parameters: {},
    success: {
      health: {
        summary: 'All well',
        value: {
          data: {
            status: 'healthy',
            checkedAt: '2026-04-10T22:00:00.000Z',
            sources: [
              {
                sourceId: 'b4d0c1a2-3e5f-5678-9abc-def012345678',
                jurisdictionSlug: 'sample-city',
                bodySlug: 'city-council',
                sourceType: 'legistar',
                status: 'healthy',
                lastCheckedAt: '2026-04-10T21:30:00.000Z',
                lastSuccessfulCheckAt: '2026-04-10T21:30:00.000Z',
                consecutiveFailures: 0,
              },
            ],
            pipeline: {
              lagEvents: 0,
              lagSeconds: 0,
              pendingWork: 0,
              failedWork: 0,
              projections: [{ name: 'record_history', lagEvents: 0, lagSeconds: 0, state: 'running' }],
              head: { cursor: CURSOR, digests: DIGESTS },
            },
          },
        },
      },
    },
  },
  createFeedSubscription: {
    parameters: {},
    body: { filtered: { summary: 'Meetings only', value: { name: 'meetings to warehouse', resource: 'meetings' } } },
    success: { created: { summary: 'The new feed', value: { data: SUBSCRIPTION } } },
  },
  listFeedSubscriptions: {
    parameters: {},
    success: {
      feeds: { summary: 'One live feed', value: { data: { items: [SUBSCRIPTION], activeCount: 1, maxActiveSubscriptions: 10 } } },
    },
  },
  readFeedSubscriptionChanges: { parameters: { subscriptionId: SUBSCRIPTION_ID, cursor: CURSOR, limit: 100 }, success: PAGES },
  revokeFeedSubscription: {
    parameters: { subscriptionId: SUBSCRIPTION_ID },
    success: { revoked: { summary: 'Revoked', value: { data: { id: SUBSCRIPTION_ID, revokedAt: '2026-04-11T08:00:00.000Z' } } } },
  },
} as const satisfies Readonly<Record<string, OperationExamples>>;
