import { z } from 'zod';
import type { Resource } from '../domain/records/resources.ts';
import {
  answerWithMeta,
  cursor,
  hasMore,
  itemsOf,
  limit,
  matching,
  nextCursor,
  perResource,
  RECORD_DATA,
  resourceName,
} from './fields.ts';
import { snapshotId } from './create-civic-snapshot.ts';
import { CUSTOMER_REFUSALS, DATA_EXPORT, operation, PAGE_FORMS } from './operation.ts';
import { SNAPSHOT_ID, TOPIC } from './examples.ts';

const digest = matching(/^[0-9a-f]{64}$/).describe(
  'State digest of the resource at the boundary of the snapshot as its pages give it now; only where a text was erased since, and in place of that in the answer with which the snapshot was taken.',
);

export const snapshotPage = (resource: Resource, record: string) =>
  answerWithMeta(
    `${record}SnapshotPage`,
    z.strictObject({ items: itemsOf(RECORD_DATA[resource]) }),
    z.strictObject({ nextCursor: nextCursor.nullable(), hasMore, digest: digest.optional() }),
  );

const anySnapshotPage = z.union(perResource(snapshotPage)).meta({ id: 'SnapshotPage' });

export const readCivicSnapshotPage = operation({
  ...DATA_EXPORT,
  operationId: 'readCivicSnapshotPage',
  method: 'GET',
  path: '/api/v1/data/snapshots/{snapshotId}/{resource}',
  tag: 'Snapshots',
  summary: 'Read a page of a frozen export',
  description: `One resource of a snapshot, page by page, until \`hasMore\` is false. The cursor is bound to the snapshot and the resource. Reading
takes nothing from the export allowance. A snapshot that is unknown, expired or another customer's is 404.`,
  example: {
    parameters: { snapshotId: SNAPSHOT_ID, resource: 'topics', limit: 100 },
    success: {
      page: {
        summary: 'The last page',
        value: { data: { items: [TOPIC] }, meta: { nextCursor: null, hasMore: false } },
      },
    },
  },
  params: z.strictObject({ snapshotId, resource: resourceName }),
  query: z.strictObject({ cursor: cursor.optional(), limit }),
  success: { status: 200, schema: anySnapshotPage, forms: PAGE_FORMS },
  refusals: [...CUSTOMER_REFUSALS, 'not_found', 'cursor_expired'],
});
