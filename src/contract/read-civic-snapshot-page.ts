import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import { cursor, limit, perResource, RECORD_DATA, resourceName } from './fields.ts';
import { CUSTOMER_REFUSALS, operation } from './operation.ts';

/** Of all records of the resource in the snapshot, from when on a text in them was erased; it takes the place of the one given at the creation. */
const stateDigest = z.string().regex(/^[0-9a-f]{64}$/);

/** A page of one resource of a frozen export; each item is the record's `data` itself. */
export const snapshotPage = (resource: Resource) =>
  z.strictObject({
    data: z.strictObject({ items: z.array(RECORD_DATA[resource]) }),
    meta: z.strictObject({ nextCursor: cursor.nullable(), hasMore: z.boolean(), digest: stateDigest.optional() }),
  });

const anySnapshotPage = z.union(perResource(snapshotPage));

/**
 * An id that is no uuid is a bad parameter (400): the specification types the path as a uuid, and where it wants a 404 for such an id
 * (the subscription routes) it says so.
 */
export const readCivicSnapshotPage = operation({
  operationId: 'readCivicSnapshotPage',
  method: 'GET',
  path: '/api/v1/data/snapshots/{snapshotId}/{resource}',
  access: 'key',
  scope: 'civic:export',
  surface: 'data',
  params: z.strictObject({ snapshotId: uuid, resource: resourceName }),
  query: z.strictObject({ cursor: cursor.optional(), limit }),
  body: null,
  success: { status: 200, schema: anySnapshotPage },
  refusals: [...CUSTOMER_REFUSALS, 'not_found', 'cursor_expired'],
});
