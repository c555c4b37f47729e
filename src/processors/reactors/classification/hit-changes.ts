import type { RecordChange } from '../../../../commands/records/write-records.ts';
import { isBusiness } from '../../../../domain/agenda/kinds.ts';
import { canonicalJson } from '../../../../domain/digests.ts';
import { dateOfDay, localDay } from '../../../../domain/local-day.ts';
import {
  type ClassificationSubject,
  type ClassifiedHit,
  type Classifier,
  NotClassified,
} from '../../../../domain/ports/classifier.ts';
import type { StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../../../domain/ports/projection.ts';
import { RECORD_SCHEMAS, type RecordData } from '../../../../domain/records/resources.ts';
import type { GivenUpItems } from './given-up-items.ts';

export type Item = RecordData<'agenda_items'>;
export type Topics = readonly RecordData<'topics'>[];
/** Items by id; null for withdrawn ones. */
export type Contents = ReadonlyMap<string, Item | null>;

/** Cause of a change of a hit: a record event, or a change of the rules, which has a time only. */
type Cause = Pick<StoredEvent, 'time'> & Partial<Pick<StoredEvent, 'id'>>;
export type CauseOf = (itemId: string, item: Item | null) => Cause;

export interface HitChange {
  readonly itemId: string;
  readonly change: RecordChange;
}

interface HitDependencies {
  readonly known: PublishedRecords;
  readonly classifier: Classifier;
}

interface Classification {
  readonly topics: Topics;
  readonly causeOf: CauseOf;
  readonly givenUp: GivenUpItems;
  readonly signal: AbortSignal;
}

/**
 * Classifies items and returns the required changes of their hits. Equal hits do not change, nor do hits that another
 * classifier or an import wrote, even under an id of this classifier.
 */
export async function findHitChanges(
  deps: HitDependencies,
  items: Contents,
  classification: Classification,
): Promise<readonly HitChange[]> {
  const { known, classifier } = deps;
  const { causeOf, givenUp, signal } = classification;
  const subjects = await readSubjects(known, items, causeOf);
  const classified = await orAborted(classifyAll(classifier, subjects, classification), signal);
  for (const id of items.keys()) if (!subjects.has(id)) await givenUp.clear(id);
  const existing = await readExisting(known, items, classified);
  const isOwn = ({ classifier: name }: Hit): boolean =>
    name === classifier.name || classifier.formerNames.includes(name);
  return [
    ...findUpserts(items, { wanted: classified, existing, isOwn, causeOf }),
    ...findRemovals(items, { wanted: classified, existing, isOwn, causeOf }),
  ];
}

type Hit = RecordData<'agenda_hits'>;

interface Comparison {
  readonly wanted: ReadonlyMap<string, readonly ClassifiedHit[]>;
  readonly existing: ReadonlyMap<string, Hit>;
  readonly isOwn: (hit: Hit) => boolean;
  readonly causeOf: CauseOf;
}

function findUpserts(items: Contents, { wanted, existing, isOwn, causeOf }: Comparison): readonly HitChange[] {
  return [...items].flatMap(([itemId, item]) => {
    const cause = causeOf(itemId, item);
    const classifiedAt = new Date(cause.time).toISOString();
    const changed = (wanted.get(itemId) ?? []).filter((hit) => {
      const present = existing.get(hit.id);
      return present === undefined || (isOwn(present) && !isSameHit(present, hit));
    });
    return changed.map(({ id, content }) => ({
      itemId,
      change: {
        op: 'upsert' as const,
        resource: 'agenda_hits' as const,
        id,
        content: { ...content, classifiedAt },
        causedBy: cause.id,
      },
    }));
  });
}

function findRemovals(items: Contents, { wanted, existing, isOwn, causeOf }: Comparison): readonly HitChange[] {
  const reason = 'the item is no longer about the topic';
  return [...existing].flatMap(([id, hit]): readonly HitChange[] => {
    const itemId = hit.agendaItemId;
    const item = items.get(itemId);
    if (item === undefined || !isOwn(hit) || wanted.get(itemId)?.some((one) => one.id === id)) return [];
    const causedBy = causeOf(itemId, item).id;
    return [{ itemId, change: { op: 'remove', resource: 'agenda_hits', id, reason, causedBy } }];
  });
}

/** Reads the hits of the items, and those under the ids of wanted hits. */
async function readExisting(
  known: PublishedRecords,
  items: Contents,
  wanted: Comparison['wanted'],
): Promise<ReadonlyMap<string, Hit>> {
  const ofItems = await known.referring('agenda_hits', 'agendaItemId', [...items.keys()]);
  const wantedIds = [...wanted.values()].flatMap((hits) => hits.map(({ id }) => id));
  return known.current('agenda_hits', unique([...ofItems, ...wantedIds]));
}

/**
 * Returns the subjects of published items of business whose meeting, body and jurisdiction are published, by item id.
 */
async function readSubjects(known: PublishedRecords, items: Contents, causeOf: CauseOf) {
  const published = [...items].filter((entry): entry is [string, Item] => entry[1] !== null && isBusiness(entry[1]));
  const meetings = await known.current('meetings', unique(published.map(([, { meetingId }]) => meetingId)));
  const bodyIds = [...meetings.values()].map(({ publicBodyId }) => publicBodyId);
  const bodies = await known.current('public_bodies', unique(bodyIds));
  const jurisdictionIds = [...bodies.values()].map(({ jurisdictionId }) => jurisdictionId);
  const jurisdictions = await known.current('jurisdictions', unique(jurisdictionIds));
  const subjects = new Map<string, ClassificationSubject>();
  for (const [id, item] of published) {
    const meeting = meetings.get(item.meetingId);
    const body = meeting && bodies.get(meeting.publicBodyId);
    const jurisdiction = body && jurisdictions.get(body.jurisdictionId);
    if (jurisdiction === undefined) continue;
    const today = dateOfDay(localDay(causeOf(id, item).time, meeting!.timezone));
    subjects.set(id, { item, meeting: meeting!, body: body!, jurisdiction, today });
  }
  return subjects;
}

/**
 * Returns the hits of each subject by item id; none if the classifier gives up. Sends all subjects at once: the
 * classifier is another thread.
 */
async function classifyAll(
  classifier: Classifier,
  subjects: ReadonlyMap<string, ClassificationSubject>,
  { topics, givenUp }: Pick<Classification, 'topics' | 'givenUp'>,
): Promise<ReadonlyMap<string, readonly ClassifiedHit[]>> {
  const classify = async (subject: ClassificationSubject): Promise<readonly ClassifiedHit[]> => {
    const { item } = subject;
    if (await givenUp.has(item, topics)) return [];
    try {
      const hits = await classifier.classify(subject, topics);
      await givenUp.clear(item.id);
      return hits;
    } catch (error) {
      if (!(error instanceof NotClassified)) throw error;
      givenUp.add(item, topics, error.message);
      return [];
    }
  };
  return new Map(await Promise.all([...subjects].map(async ([id, subject]) => [id, await classify(subject)] as const)));
}

/** Waits for work until the signal aborts, because many slow items take minutes. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

const unique = (ids: readonly string[]): readonly string[] => [...new Set(ids)];

/** Compares two hits but not their times of classification, which are those of the earlier change. */
const isSameHit = (
  { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...present }: Hit,
  { content }: ClassifiedHit,
): boolean =>
  canonicalJson(present) ===
  canonicalJson(RECORD_SCHEMAS.agenda_hits.parse({ ...content, classifiedAt: present.classifiedAt }));
