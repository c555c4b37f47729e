import { z } from 'zod';
import type { Resource } from '../domain/records/resources.ts';
import { answer, component, id, itemsOf, perResource, recordOf, resourceName } from './fields.ts';
import { CUSTOMER_REFUSALS, DATA_READ, operation } from './operation.ts';
import { TOPIC } from './examples.ts';

const BATCH_IDS = 100;

const batchRequest = z.strictObject({
  resource: resourceName,
  ids: z
    .array(z.string())
    .min(1)
    .max(BATCH_IDS)
    .describe(`Identifiers of records; over all requests at most ${BATCH_IDS}.`),
});

export const batch = z
  .strictObject({ requests: z.array(batchRequest).min(1).max(100).describe('What is wanted, by resource.') })
  .refine((body) => body.requests.reduce((sum, request) => sum + request.ids.length, 0) <= BATCH_IDS, {
    error: `at most ${BATCH_IDS} ids in all`,
    path: ['requests'],
  })
  .meta({ id: 'BatchRequest' });

const foundRecord = (resource: Resource, record: string) => component(`Found${record}`, { id, ...recordOf(resource) });
const anyFound = z.discriminatedUnion('resource', perResource(foundRecord)).meta({ id: 'FoundRecord' });
export const foundRecords = answer('FoundRecords', z.strictObject({ items: itemsOf(anyFound) }));

export const readCivicRecords = operation({
  ...DATA_READ,
  operationId: 'readCivicRecords',
  method: 'POST',
  path: '/api/v1/data/batch',
  tag: 'Change feed',
  summary: 'Read current records by their ids',
  description: `The current state of up to 100 records. What is unknown, removed or no uuid is simply absent, so compare the ids of the answer
with those that you asked for. An id that is asked for twice is answered once.`,
  example: {
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
        value: {
          data: {
            items: [{ resource: 'topics', id: TOPIC.id, version: '1', changedAt: TOPIC.updatedAt, data: TOPIC }],
          },
        },
      },
    },
  },
  body: { schema: batch, maxBytes: 65_536 },
  success: { status: 200, schema: foundRecords },
  refusals: [...CUSTOMER_REFUSALS, 'request_too_large'],
});
