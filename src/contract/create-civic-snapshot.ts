import { z } from 'zod';
import { resourceCounts, resourceDigests } from '../domain/events/snapshot-events.ts';
import { uuid } from '../domain/records/fields.ts';
import { cursor, noQuery, timestamp } from './fields.ts';
import { CUSTOMER_REFUSALS, operation } from './operation.ts';

export const createdSnapshot = z.strictObject({
  snapshotId: uuid,
  boundaryCursor: cursor,
  createdAt: timestamp,
  expiresAt: timestamp,
  counts: resourceCounts,
  digests: resourceDigests,
});
export type CreatedSnapshot = z.output<typeof createdSnapshot>;

export const createCivicSnapshot = operation({
  operationId: 'createCivicSnapshot',
  method: 'POST',
  path: '/api/v1/data/snapshots',
  access: 'key',
  scope: 'civic:export',
  surface: 'data',
  takesExport: true,
  params: z.strictObject({}),
  query: noQuery,
  body: null,
  success: { status: 201, schema: z.strictObject({ data: createdSnapshot }) },
  refusals: [...CUSTOMER_REFUSALS],
});
