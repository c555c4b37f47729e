import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import { cursor, limit, perResource, RECORD_DATA, resourceName, timestamp } from './fields.ts';
import { CUSTOMER_REFUSALS, DATA_READ, operation } from './operation.ts';
import { CURSOR, PAGES, PRUNED } from './examples.ts';

const place = { cursor, recordId: uuid, version: z.string().regex(/^[1-9][0-9]*$/), changedAt: timestamp };

const upsert = (resource: Resource) =>
  z.strictObject({ ...place, resource: z.literal(resource), operation: z.literal('upsert'), data: RECORD_DATA[resource] });

const remove = z.strictObject({ ...place, resource: resourceName, operation: z.literal('remove') });

/** One change of the feed; a remove has no `data`. */
export const changeItem = z.discriminatedUnion('operation', [z.discriminatedUnion('resource', perResource(upsert)), remove]);

/** A page of the feed, and of a subscription. */
export const changesPage = z.strictObject({
  data: z.strictObject({ items: z.array(changeItem) }),
  meta: z.strictObject({
    nextCursor: cursor,
    hasMore: z.boolean(),
    replayExpiresAt: timestamp,
    /** Both are present if and only if a read without a cursor starts after pruned changes. */
    historyPruned: z.literal(true).optional(),
    recovery: z.array(z.strictObject({ operationId: z.string(), hint: z.string() })).optional(),
  }),
});

export const readCivicChanges = operation({
  ...DATA_READ,
  operationId: 'readCivicChanges',
  method: 'GET',
  path: '/api/v1/data/changes',
  tag: 'Change feed',
  summary: 'Read the change feed',
  description: `Changes in order, each with its own \`cursor\`. Store \`meta.nextCursor\` after you have committed the page, also when it holds no
items: an empty page may still advance to the head. Without a cursor the read starts at the oldest replayable position.

**Without a cursor you get no copy of the data once the feed is older than 30 days.** Changes that are no longer replayable are left out, and on a
feed without a change in 30 days the page is empty although there are records. Such a page has \`historyPruned: true\` in \`meta\`, with the recovery:
take a snapshot, read it, and go on from its \`boundaryCursor\`.

A cursor minted by a filtered read stays bound to that filter, and one minted by an unfiltered read to no filter at all: with another filter it
is 400. A snapshot's \`boundaryCursor\` is bound to nothing. Changes are replayable for 30 days; an older position is 410 \`cursor_expired\`, and so is
a cursor of another feed or beyond the head. Recovery: take a snapshot and go on from its \`boundaryCursor\`.`,
  example: {
    parameters: { cursor: CURSOR, resource: 'meetings', limit: 100 },
    success: { ...PAGES, pruned: { summary: 'A first read without a cursor, after older changes were pruned', value: PRUNED } },
  },
  query: z.strictObject({ cursor: cursor.optional(), resource: resourceName.optional(), limit }),
  success: { status: 200, schema: changesPage },
  refusals: [...CUSTOMER_REFUSALS, 'cursor_expired'],
});
