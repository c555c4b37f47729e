import { createCivicSnapshot } from './create-civic-snapshot.ts';
import { readCivicChanges } from './read-civic-changes.ts';
import { readCivicHealth } from './read-civic-health.ts';
import { readCivicRecords } from './read-civic-records.ts';
import { readCivicSnapshotPage } from './read-civic-snapshot-page.ts';

/** Every operation that is served, in the order of the specification's inventory. */
export const OPERATIONS = { readCivicChanges, createCivicSnapshot, readCivicSnapshotPage, readCivicRecords, readCivicHealth } as const;

export type OperationId = keyof typeof OPERATIONS;
