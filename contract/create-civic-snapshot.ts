import { z } from 'zod';
import { resourceCounts, resourceDigests } from '../domain/events/feed-events.ts';
import { uuid } from '../domain/records/fields.ts';
import { RESOURCES } from '../domain/records/resources.ts';
import { answer, createdAt, cursor, timestamp } from './fields.ts';
import { DATA_EXPORT, operation } from './operation.ts';
import { CURSOR, DIGESTS, SNAPSHOT_ID } from './examples.ts';

export const snapshotId = uuid.describe('Identifier of the frozen export.');

const createdSnapshot = z.strictObject({
  snapshotId,
  boundaryCursor: cursor.describe(
    'The feed position at which the snapshot stands; changes after it close the gap to the present.',
  ),
  createdAt,
  expiresAt: timestamp.describe('Time after which it can no longer be read.'),
  counts: resourceCounts.describe('Records in the snapshot, by resource.'),
  digests: resourceDigests,
});
export type CreatedSnapshot = z.output<typeof createdSnapshot>;

const COUNTS = { ...Object.fromEntries(RESOURCES.map((resource) => [resource, 0])), topics: 1 };

export const createCivicSnapshot = operation({
  ...DATA_EXPORT,
  operationId: 'createCivicSnapshot',
  writes: true,
  method: 'POST',
  path: '/api/v1/data/snapshots',
  tag: 'Snapshots',
  summary: 'Take a frozen export',
  description: `Freezes the state of every record at one position of the feed, for seven days. The request body is ignored. After every resource
has been read, consume changes from \`boundaryCursor\`: nothing is missing in between, and nothing comes twice. Takes one unit of the hourly export
allowance.`,
  example: {
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
  exportUnits: 1,
  success: { status: 201, schema: answer('CreatedSnapshot', createdSnapshot) },
});
