import { RECORD_PUBLISHED } from '../domain/events/record-events.ts';
import type { StoredEvent } from '../domain/ports/event-log.ts';
import type { Resource } from '../domain/records/resources.ts';
import { category, streamId } from '../domain/streams.ts';

export interface PublishedRecord {
  readonly id: string;
  /** As published; which resource it is of, the reader of its columns knows. */
  readonly data: never;
}

/** What a batch leaves of the records of one resource. */
export interface RecordChanges {
  /** The `data` of each record that it leaves published. */
  readonly published: readonly PublishedRecord[];
  /** Ids of the records that it leaves withdrawn. */
  readonly withdrawn: readonly string[];
}

/** The records that a batch changes, by resource: the last event of each decides. Resources without a change are left out. Pure. */
export function recordChangesOf<R extends Resource>(resources: readonly R[], batch: readonly StoredEvent[]): ReadonlyMap<R, RecordChanges> {
  const isWanted = (name: string): name is R => (resources as readonly string[]).includes(name);
  const last = new Map<string, StoredEvent>();
  for (const event of batch) last.set(event.stream, event);
  const changes = new Map<R, { published: PublishedRecord[]; withdrawn: string[] }>();
  for (const event of last.values()) {
    const resource = category(event.stream);
    if (!isWanted(resource)) continue;
    let change = changes.get(resource);
    if (change === undefined) changes.set(resource, (change = { published: [], withdrawn: [] }));
    const id = streamId(event.stream);
    if (event.type === RECORD_PUBLISHED) change.published.push({ id, data: JSON.parse(event.data) as never });
    else change.withdrawn.push(id);
  }
  return changes;
}
