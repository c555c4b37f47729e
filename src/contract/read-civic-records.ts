import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import { noQuery, perResource, RECORD_DATA, resourceName, timestamp } from './fields.ts';
import { CUSTOMER_REFUSALS, operation } from './operation.ts';

/** Over all requests of one batch. */
export const BATCH_IDS = 100;

const batchRequest = z.strictObject({ resource: resourceName, ids: z.array(z.string()).min(1).max(BATCH_IDS) });

export const batch = z
  .strictObject({ requests: z.array(batchRequest).min(1).max(100) })
  .refine((body) => body.requests.reduce((sum, request) => sum + request.ids.length, 0) <= BATCH_IDS, {
    error: `at most ${BATCH_IDS} ids in all`,
    path: ['requests'],
  });

const element = (resource: Resource) =>
  z.strictObject({
    resource: z.literal(resource),
    id: uuid,
    version: z.string().regex(/^[1-9][0-9]*$/),
    changedAt: timestamp,
    data: RECORD_DATA[resource],
  });

export const foundRecords = z.strictObject({
  data: z.strictObject({ items: z.array(z.discriminatedUnion('resource', perResource(element))) }),
});

export const readCivicRecords = operation({
  operationId: 'readCivicRecords',
  method: 'POST',
  path: '/api/v1/data/batch',
  access: 'key',
  scope: 'civic:read',
  surface: 'data',
  params: z.strictObject({}),
  query: noQuery,
  body: { schema: batch, maxBytes: 65_536 },
  success: { status: 200, schema: foundRecords },
  refusals: [...CUSTOMER_REFUSALS, 'request_too_large'],
});
