import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import { cursor, limit, perResource, RECORD_DATA, resourceName } from './fields.ts';
import { CUSTOMER_REFUSALS, DATA_EXPORT, operation } from './operation.ts';
import { SNAPSHOT_ID, TOPIC } from './examples.ts';

/** State digest of the resource in the snapshot, present once a text in it was erased; it replaces the digest of the creation. */
const stateDigest = z.string().regex(/^[0-9a-f]{64}$/);

/** A page of one resource of a frozen export; each item is the record's `data` itself. */
export const snapshotPage = (resource: Resource) =>
  z.strictObject({
    data: z.strictObject({ items: z.array(RECORD_DATA[resource]) }),
    meta: z.strictObject({ nextCursor: cursor.nullable(), hasMore: z.boolean(), digest: stateDigest.optional() }),
  });

const anySnapshotPage = z.union(perResource(snapshotPage));

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
    success: { page: { summary: 'The last page', value: { data: { items: [TOPIC] }, meta: { nextCursor: null, hasMore: false } } } },
  },
  params: z.strictObject({ snapshotId: uuid, resource: resourceName }),
  query: z.strictObject({ cursor: cursor.optional(), limit }),
  success: { status: 200, schema: anySnapshotPage },
  refusals: [...CUSTOMER_REFUSALS, 'not_found', 'cursor_expired'],
});
