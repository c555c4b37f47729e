import { RECORD_PUBLISHED } from '../../../../domain/events/record-events.ts';
import type { StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../../../domain/ports/projection.ts';
import type { Resource } from '../../../../domain/records/resources.ts';
import { recordOfStream } from '../../../../domain/streams.ts';
import { selectLastEvents } from '../../../../projections/record-changes.ts';
import type { Contents, Item } from './hit-changes.ts';

/** Resources whose events affect hits; events of hits themselves do not. */
const FOLLOWED: ReadonlySet<Resource> = new Set([
  'jurisdictions',
  'public_bodies',
  'topics',
  'meetings',
  'agenda_items',
]);

export const selectFollowed = (batch: readonly StoredEvent[]): readonly StoredEvent[] =>
  batch.filter(({ stream }) => FOLLOWED.has(recordOfStream(stream).resource));

/** Returns the last contents of the items that a batch changes. */
export function collectContents(batch: readonly StoredEvent[]): Contents {
  const contents = new Map<string, Item | null>();
  for (const { stream, type, data } of selectLastEvents(batch)) {
    const { resource, recordId } = recordOfStream(stream);
    if (resource !== 'agenda_items') continue;
    contents.set(recordId, type === RECORD_PUBLISHED ? (JSON.parse(data) as Item) : null);
  }
  return contents;
}

interface Affected {
  /** The last topic change, which affects every item; null if there is none. */
  readonly every: StoredEvent | null;
  /** The newest event that affects all items of a meeting, by meeting id. */
  readonly meetings: ReadonlyMap<string, StoredEvent>;
  /** The newest event of each item of the batch, by item id. */
  readonly items: ReadonlyMap<string, StoredEvent>;
}

/** Steps from a changed record down to its meetings. */
const BELOW: readonly (readonly [upper: Resource, lower: Resource, field: string])[] = [
  ['jurisdictions', 'public_bodies', 'jurisdictionId'],
  ['public_bodies', 'meetings', 'publicBodyId'],
];

export const later = (one: StoredEvent | undefined, other: StoredEvent | undefined): StoredEvent | undefined =>
  one === undefined || (other !== undefined && other.position > one.position) ? other : one;

export async function findAffected(batch: readonly StoredEvent[], known: PublishedRecords): Promise<Affected> {
  const touched = new Map<Resource, Map<string, StoredEvent>>();
  const touch = (resource: Resource, id: string, event: StoredEvent) => {
    const ofResource = touched.get(resource) ?? new Map<string, StoredEvent>();
    touched.set(resource, ofResource);
    ofResource.set(id, later(ofResource.get(id), event)!);
  };
  for (const event of batch) {
    const { resource, recordId } = recordOfStream(event.stream);
    touch(resource, recordId, event);
  }
  for (const [upper, lower, field] of BELOW) {
    for (const [id, event] of touched.get(upper) ?? []) {
      for (const below of await known.referring(lower, field, [id])) touch(lower, below, event);
    }
  }
  const eventsOf = (resource: Resource): ReadonlyMap<string, StoredEvent> => touched.get(resource) ?? new Map();
  return {
    every: [...eventsOf('topics').values()].at(-1) ?? null,
    meetings: eventsOf('meetings'),
    items: eventsOf('agenda_items'),
  };
}
