import { RECORD_PUBLISHED } from '../../src/domain/events/record-events.ts';
import type { StoredEvent } from '../../src/domain/ports/event-log.ts';
import { category, streamId } from '../../src/domain/streams.ts';
import { AGENDA_RESOURCES, type AgendaResource } from './record-tables.ts';

/** What a batch leaves of the records of one resource. */
export interface RecordChanges {
  /** The `data` of each record that it leaves published. */
  readonly published: readonly { readonly id: string; readonly data: never }[];
  /** Ids of the records that it leaves withdrawn. */
  readonly withdrawn: readonly string[];
}

const isAgendaResource = (name: string): name is AgendaResource => (AGENDA_RESOURCES as readonly string[]).includes(name);

/** The records that a batch changes, by resource: the last event of each decides. Resources without a change are left out. Pure. */
export const recordChanges = (batch: readonly StoredEvent[]): ReadonlyMap<AgendaResource, RecordChanges> => {
  const last = new Map<string, StoredEvent>();
  for (const event of batch) last.set(event.stream, event);
  const changes = new Map<AgendaResource, { published: { id: string; data: never }[]; withdrawn: string[] }>();
  for (const event of last.values()) {
    const resource = category(event.stream);
    if (!isAgendaResource(resource)) continue;
    let change = changes.get(resource);
    if (change === undefined) changes.set(resource, (change = { published: [], withdrawn: [] }));
    const id = streamId(event.stream);
    if (event.type === RECORD_PUBLISHED) change.published.push({ id, data: JSON.parse(event.data) as never });
    else change.withdrawn.push(id);
  }
  return changes;
};
