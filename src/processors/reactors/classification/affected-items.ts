import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import type { StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { Resource } from '../../../../domain/records/resources.ts';
import { recordOfStream } from '../../../../domain/streams.ts';

export interface AffectedItems {
  /** The topic change that requires a check of every item; null where there is none. */
  readonly every: StoredEvent | null;
  /** Agenda item id to the newest event of the batch that touches it. */
  readonly items: ReadonlyMap<string, StoredEvent>;
}

/** From a changed record down to the items that hang on it. */
const BELOW: readonly (readonly [upper: Resource, lower: Resource, field: string])[] = [
  ['jurisdictions', 'public_bodies', 'jurisdictionId'],
  ['public_bodies', 'meetings', 'publicBodyId'],
  ['meetings', 'agenda_items', 'meetingId'],
];

/** The agenda items whose classification a batch of record events may change. */
export async function affectedItems(batch: readonly StoredEvent[], known: PublishedRecords): Promise<AffectedItems> {
  const touched = new Map<Resource, Map<string, StoredEvent>>();
  const touch = (resource: Resource, id: string, event: StoredEvent) => {
    const ofResource = touched.get(resource) ?? new Map<string, StoredEvent>();
    const before = ofResource.get(id);
    if (before === undefined || before.position < event.position) ofResource.set(id, event);
    touched.set(resource, ofResource);
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
  const topics = [...(touched.get('topics')?.values() ?? [])];
  return { every: topics.at(-1) ?? null, items: touched.get('agenda_items') ?? new Map() };
}
