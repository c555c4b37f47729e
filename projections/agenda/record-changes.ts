import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import { type RecordChanges, recordChangesOf } from '../record-changes.ts';
import { AGENDA_RESOURCES, type AgendaResource } from './record-tables.ts';

/** The records of the agenda that a batch changes, by resource: the last event of each decides. Pure. */
export const recordChanges = (batch: readonly StoredEvent[]): ReadonlyMap<AgendaResource, RecordChanges> =>
  recordChangesOf(AGENDA_RESOURCES, batch);
