import type { RecordChange } from '../../../../commands/records/record-writer.ts';
import { canonicalJson } from '../../../../domain/canonical-json.ts';
import type { ClassifiedHit, Classifier } from '../../../../domain/ports/classifier.ts';
import type { StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import { type RecordData, RECORD_SCHEMAS } from '../../../../domain/records/resources.ts';

export interface HitChangesDependencies {
  readonly known: PublishedRecords;
  readonly classifier: Classifier;
}

type Topics = readonly RecordData<'topics'>[];
type Hits = ReadonlyMap<string, RecordData<'agenda_hits'>>;

/**
 * What must change so that the hits of these items are what the classifier says of them now. A hit that already says so is left alone,
 * and so is one that another classifier or an import has written, also under our id.
 */
export async function hitChanges(
  { known, classifier }: HitChangesDependencies,
  items: ReadonlyMap<string, StoredEvent>,
  topics: Topics,
): Promise<readonly RecordChange[]> {
  const wanted = await classifyAll({ known, classifier }, [...items.keys()], topics);
  const referring = await known.referring('agenda_hits', 'agendaItemId', [...items.keys()]);
  const wantedIds = [...wanted.values()].flatMap((hits) => hits.map(({ id }) => id));
  const existing = await known.current('agenda_hits', [...new Set([...referring, ...wantedIds])]);
  const changes: RecordChange[] = [];
  for (const [itemId, cause] of items) {
    const classifiedAt = new Date(cause.time).toISOString();
    for (const hit of wanted.get(itemId) ?? []) {
      const standing = existing.get(hit.id);
      if (standing !== undefined && (standing.classifier !== classifier.name || saysTheSame(standing, hit))) continue;
      changes.push({ op: 'upsert', resource: 'agenda_hits', id: hit.id, content: { ...hit.content, classifiedAt }, causedBy: cause.id });
    }
  }
  return [...changes, ...removals(existing, items, wanted, classifier.name)];
}

async function classifyAll({ known, classifier }: HitChangesDependencies, ids: readonly string[], topics: Topics) {
  const items = await known.current('agenda_items', ids);
  const meetings = await known.current('meetings', unique([...items.values()].map(({ meetingId }) => meetingId)));
  const bodies = await known.current('public_bodies', unique([...meetings.values()].map(({ publicBodyId }) => publicBodyId)));
  const jurisdictions = await known.current('jurisdictions', unique([...bodies.values()].map(({ jurisdictionId }) => jurisdictionId)));
  const wanted = new Map<string, readonly ClassifiedHit[]>();
  for (const [id, item] of items) {
    const meeting = meetings.get(item.meetingId);
    const body = meeting && bodies.get(meeting.publicBodyId);
    const jurisdiction = body && jurisdictions.get(body.jurisdictionId);
    if (jurisdiction !== undefined)
      wanted.set(id, await classifier.classify({ item, meeting: meeting!, body: body!, jurisdiction }, topics));
  }
  return wanted;
}

const unique = (ids: readonly string[]): readonly string[] => [...new Set(ids)];

/** Equal but for the time at which it was classified, which is that of the change before. */
const saysTheSame = (
  { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...standing }: RecordData<'agenda_hits'>,
  { content }: ClassifiedHit,
): boolean =>
  canonicalJson(standing) === canonicalJson(RECORD_SCHEMAS.agenda_hits.parse({ ...content, classifiedAt: standing.classifiedAt }));

const removals = (
  existing: Hits,
  items: ReadonlyMap<string, StoredEvent>,
  wanted: ReadonlyMap<string, readonly ClassifiedHit[]>,
  classifier: string,
): readonly RecordChange[] =>
  [...existing].flatMap(([id, hit]) => {
    const cause = items.get(hit.agendaItemId);
    const stays = cause === undefined || hit.classifier !== classifier || (wanted.get(hit.agendaItemId) ?? []).some((one) => one.id === id);
    return stays
      ? []
      : [{ op: 'remove', resource: 'agenda_hits', id, reason: 'the item is no longer about the topic', causedBy: cause.id } as const];
  });
