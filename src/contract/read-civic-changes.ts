import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import { cursor, limit, perResource, RECORD_DATA, resourceName, timestamp } from './fields.ts';
import { CUSTOMER_REFUSALS, operation } from './operation.ts';

const place = { cursor, recordId: uuid, version: z.string().regex(/^[1-9][0-9]*$/), changedAt: timestamp };

const upsert = (resource: Resource) =>
  z.strictObject({ ...place, resource: z.literal(resource), operation: z.literal('upsert'), data: RECORD_DATA[resource] });

const remove = z.strictObject({ ...place, resource: resourceName, operation: z.literal('remove') });

/** One change of the feed; a remove has no `data`. */
export const changeItem = z.discriminatedUnion('operation', [z.discriminatedUnion('resource', perResource(upsert)), remove]);

/** A page of the feed; also what a subscription's poll answers. */
export const changesPage = z.strictObject({
  data: z.strictObject({ items: z.array(changeItem) }),
  meta: z.strictObject({
    nextCursor: cursor,
    hasMore: z.boolean(),
    replayExpiresAt: timestamp,
    /** Both are there exactly where a read without a cursor starts after changes that are gone. */
    historyPruned: z.literal(true).optional(),
    recovery: z.array(z.strictObject({ operationId: z.string(), hint: z.string() })).optional(),
  }),
});

export const readCivicChanges = operation({
  operationId: 'readCivicChanges',
  method: 'GET',
  path: '/api/v1/data/changes',
  access: 'key',
  scope: 'civic:read',
  surface: 'data',
  params: z.strictObject({}),
  query: z.strictObject({ cursor: cursor.optional(), resource: resourceName.optional(), limit }),
  body: null,
  success: { status: 200, schema: changesPage },
  refusals: [...CUSTOMER_REFUSALS, 'cursor_expired'],
});
