import { z } from 'zod';
import { uuid } from '../domain/records/fields.ts';
import type { Resource } from '../domain/records/resources.ts';
import {
  answerWithMeta,
  component,
  cursor,
  hasMore,
  itemsOf,
  limit,
  nextCursor,
  perResource,
  recordOf,
  recordVersion,
  resourceName,
  timestamp,
} from './fields.ts';
import { CUSTOMER_REFUSALS, DATA_READ, operation, PAGE_FORMS } from './operation.ts';
import { CURSOR, NEXT_CURSOR } from './examples.ts';

const place = { cursor, recordId: uuid.describe('Identifier of the record.') };
const operationName = <Name extends string>(name: Name) =>
  z.literal(name).describe('Whether the record is now as in `data`, or gone.');

const upsert = (resource: Resource, record: string) =>
  component(`${record}Upsert`, { ...place, operation: operationName('upsert'), ...recordOf(resource) });

const remove = component('RecordRemoval', {
  ...place,
  operation: operationName('remove'),
  resource: resourceName,
  ...recordVersion,
});
const anyUpsert = z.discriminatedUnion('resource', perResource(upsert)).meta({ id: 'RecordUpsert' });
const changeItem = z.discriminatedUnion('operation', [anyUpsert, remove]).meta({ id: 'ChangeItem' });

const recovery = z.strictObject({
  operationId: z.string().describe('Name of the operation.'),
  hint: z.string().describe('Advice for the operation.'),
});

export const changesPage = answerWithMeta(
  'ChangesPage',
  z.strictObject({ items: itemsOf(changeItem) }),
  z.strictObject({
    nextCursor,
    hasMore,
    replayExpiresAt: timestamp.describe('When the returned position stops being replayable.'),
    /** Both are present if and only if a read without a cursor starts after pruned changes. */
    historyPruned: z
      .literal(true)
      .describe(
        'True where a read without a cursor starts after changes that are no longer replayable: take a snapshot for a complete copy.',
      )
      .optional(),
    recovery: z
      .array(recovery)
      .describe('Operations that bring a client back to a complete copy, each with a hint.')
      .optional(),
  }),
);

const MEETING = {
  id: '3d9a1f54-7c2e-5b06-8f4d-2b7e91c0a655',
  publicBodyId: '9b1d2e3f-4a5b-5c6d-8e7f-0a1b2c3d4e5f',
  sourceId: null,
  sourceRecordId: '1042',
  title: 'City Council, regular meeting',
  startsAt: '2026-04-14T14:00:00.000Z',
  timezone: 'America/Chicago',
  location: 'City Hall, Council Chamber',
  status: 'cancelled',
  sourceUrl: 'https://example.org/sample-city/meetings/1042',
  createdAt: '2026-03-20T18:00:00.000Z',
  updatedAt: '2026-04-10T21:30:00.000Z',
};

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
const QUIET = { data: { items: [] }, meta: CHANGES.meta };
const PRUNED = {
  ...QUIET,
  meta: {
    ...QUIET.meta,
    historyPruned: true,
    recovery: [{ operationId: 'createCivicSnapshot', hint: 'take a snapshot and continue from its boundaryCursor' }],
  },
};
export const PAGES = {
  page: { summary: 'A canceled meeting and a withdrawn document', value: CHANGES },
  quiet: { summary: 'Nothing new, and still a position to store', value: QUIET },
};

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
    success: {
      ...PAGES,
      pruned: { summary: 'A first read without a cursor, after older changes were pruned', value: PRUNED },
    },
  },
  query: z.strictObject({ cursor: cursor.optional(), resource: resourceName.optional(), limit }),
  success: { status: 200, schema: changesPage, forms: PAGE_FORMS },
  refusals: [...CUSTOMER_REFUSALS, 'cursor_expired'],
});
