import type { RecordChange, RecordWriter } from '../../../../commands/records/write-records.ts';
import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../../../domain/events/record-events.ts';
import type { ClassifiedHit, Classifier } from '../../../../domain/ports/classifier.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { EventLog, Position, StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { ChangedRecords, Progress, PublishedRecords } from '../../../../domain/ports/projection.ts';
import type { BatchHandler, Reactor, ReactorRunning } from '../../../../domain/ports/reactors.ts';
import { RECORD_SCHEMAS, type RecordData, type Resource } from '../../../../domain/records/resources.ts';
import { dateOfDay, localDay } from '../../../../domain/local-day.ts';
import { recordOfStream } from '../../../../domain/streams.ts';
import { lastOfEach } from '../../../../projections/record-changes.ts';
import { untilCaughtUp } from '../../runtime/until-caught-up.ts';
import { canonicalJson } from '../../../../domain/digests.ts';

export const CLASSIFICATION = 'classification';

export interface ClassificationDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly writer: RecordWriter;
  readonly known: PublishedRecords & ChangedRecords;
  readonly classifier: Classifier;
  readonly progress: Progress;
  /** Read models that `known` is answered from. */
  readonly readModels: readonly string[];
  readonly currentIds: (resource: Resource) => AsyncIterable<readonly string[]>;
}

/** The events that affect a hit; events of hits themselves are not among them. */
const FOLLOWED: ReadonlySet<Resource> = new Set(['jurisdictions', 'public_bodies', 'topics', 'meetings', 'agenda_items']);
/** Items may have 1 MiB each. */
const ITEMS_AT_ONCE = 100;
/** Of which the items are looked up at once. */
const MEETINGS_AT_ONCE = 20;
/** A few milliseconds, before requests have their turn: fewer would starve beside readers that never pause. */
const ITEMS_A_TURN = 8;

/** Updates the hits of every agenda item to the result of the classifier, through the ordinary record commands. */
export const createClassificationReactor = (deps: ClassificationDependencies): Reactor => ({
  name: CLASSIFICATION,
  follows: RECORD_EVENT_TYPES,
  runsOnStart: true,
  begin: () => beginClassifying(deps),
});

function beginClassifying(deps: ClassificationDependencies): BatchHandler {
  let topics: Topics | undefined;
  let written: Position | undefined;

  const catchUp = async (position: Position, signal: AbortSignal) => {
    written ??= await deps.log.head();
    await untilCaughtUp(deps, position > written ? position : written, 'classify', signal);
  };

  const classify = async (ids: readonly string[], { causeOf, through, stated }: Asked, { signal, confirm }: ReactorRunning) => {
    for (let start = 0; start < ids.length; start += ITEMS_AT_ONCE) {
      signal.throwIfAborted();
      topics ??= await currentTopics(deps);
      const some = await itemsNow(deps.known, ids.slice(start, start + ITEMS_AT_ONCE), through, stated);
      let changes = await hitChanges(deps, some, topics, causeOf);
      if (changes.length === 0) continue;
      if (stated.size > 0) {
        // The batch may be behind the log: what is written follows from the content that the item has now.
        const changed = [...new Set(changes.map(({ itemId }) => itemId))];
        changes = await hitChanges(deps, await itemsNow(deps.known, changed, through), topics, causeOf);
        if (changes.length === 0) continue;
      }
      await confirm();
      written = newest(written, await write(deps.writer, changes));
    }
  };

  /** Classifies every item again after a change of the rules; those with outdated hits last, so that an interrupted run is repeated. */
  const renew = async (running: ReactorRunning) => {
    await catchUp(await deps.log.head(), running.signal);
    const outdated = await itemsOfFormerHits(deps);
    if (outdated.size === 0) return;
    const now: Cause = { time: deps.clock.now() };
    const asked: Asked = { causeOf: () => now, through: null, stated: new Map() };
    for await (const ids of deps.currentIds('agenda_items'))
      await classify(
        ids.filter((id) => !outdated.has(id)),
        asked,
        running,
      );
    await classify([...outdated], asked, running);
  };

  return async (batch, running) => {
    if (batch.length === 0) return renew(running);
    const followed = batch.filter(({ stream }) => FOLLOWED.has(recordOfStream(stream).resource));
    if (followed.length === 0) return;
    const through = batch.at(-1)!.position;
    await catchUp(through, running.signal);
    const { every, meetings, items } = await affected(followed, deps.known);
    const causeOf: Asked['causeOf'] = (id, item) =>
      later(items.get(id), item === null ? undefined : meetings.get(item.meetingId)) ?? every ?? followed.at(-1)!;
    const asked: Asked = { causeOf, through, stated: every === null ? contentsOf(followed) : new Map() };
    const unvisited = new Set(items.keys());
    if (every === null) {
      for await (const ids of itemsOf([...meetings.keys()], deps.known))
        await classify(
          ids.filter((id) => !items.has(id)),
          asked,
          running,
        );
      return classify([...unvisited], asked, running);
    }
    topics = undefined;
    for await (const ids of deps.currentIds('agenda_items')) {
      await classify(ids, asked, running);
      for (const id of ids) unvisited.delete(id);
    }
    // Those that are withdrawn lose their hits.
    return classify([...unvisited], asked, running);
  };
}

interface Asked {
  readonly causeOf: (id: string, item: Item | null) => Cause;
  /** An item that changed after this position is left out: it is classified when the log is read to that change. Null: none. */
  readonly through: Position | null;
  /** Contents as the batch has them: most items have no hits, and need not be read to know that. */
  readonly stated: Contents;
}

async function* itemsOf(meetings: readonly string[], known: PublishedRecords) {
  for (let start = 0; start < meetings.length; start += MEETINGS_AT_ONCE)
    yield await known.referring('agenda_items', 'meetingId', meetings.slice(start, start + MEETINGS_AT_ONCE));
}

type Item = RecordData<'agenda_items'>;
/** Of items, by id; null where withdrawn. */
type Contents = ReadonlyMap<string, Item | null>;

function contentsOf(batch: readonly StoredEvent[]): Contents {
  const contents = new Map<string, Item | null>();
  for (const { stream, type, data } of lastOfEach(batch)) {
    const { resource, recordId } = recordOfStream(stream);
    if (resource !== 'agenda_items') continue;
    contents.set(recordId, type === RECORD_PUBLISHED ? (JSON.parse(data) as Item) : null);
  }
  return contents;
}

/** Why a hit changes: a record event, or a change of the rules, which has a time only. */
type Cause = Pick<StoredEvent, 'time'> & Partial<Pick<StoredEvent, 'id'>>;

/** Hits come in the order of their last change: none after the first one of the present rules is older than these. */
async function itemsOfFormerHits({ currentIds, known, classifier }: ClassificationDependencies): Promise<ReadonlySet<string>> {
  const outdated = new Set<string>();
  for await (const ids of currentIds('agenda_hits')) {
    const hits = await known.current('agenda_hits', ids);
    for (const id of ids) {
      const hit = hits.get(id);
      if (hit?.classifier === classifier.name) return outdated;
      if (hit !== undefined && classifier.formerNames.includes(hit.classifier)) outdated.add(hit.agendaItemId);
    }
  }
  return outdated;
}

async function currentTopics({ currentIds, known }: ClassificationDependencies): Promise<Topics> {
  const topics: RecordData<'topics'>[] = [];
  for await (const ids of currentIds('topics')) topics.push(...(await known.current('topics', ids)).values());
  return topics.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

async function write(writer: RecordWriter, changed: readonly HitChange[]): Promise<Position | undefined> {
  const changes = changed.map(({ change }) => change);
  let last: Position | undefined;
  for (const [index, outcome] of (await writer.write(changes, {})).entries()) {
    if (outcome.kind === 'rejected') throw new Error(`the hit ${changes[index]!.id} was refused: ${outcome.reason}`);
    if (outcome.kind === 'appended') last = newest(last, outcome.position);
  }
  return last;
}

const newest = (one: Position | undefined, other: Position | undefined): Position | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;

interface Affected {
  /** The topic change that requires a check of every item; null where there is none. */
  readonly every: StoredEvent | null;
  /** The newest event that affects all items of a meeting, by the id of the meeting. */
  readonly meetings: ReadonlyMap<string, StoredEvent>;
  /** The newest event of each item of the batch, by id. */
  readonly items: ReadonlyMap<string, StoredEvent>;
}

/** From a changed record down to the meetings that hang on it. */
const BELOW: readonly (readonly [upper: Resource, lower: Resource, field: string])[] = [
  ['jurisdictions', 'public_bodies', 'jurisdictionId'],
  ['public_bodies', 'meetings', 'publicBodyId'],
];

const later = (one: StoredEvent | undefined, other: StoredEvent | undefined): StoredEvent | undefined =>
  one === undefined || (other !== undefined && other.position > one.position) ? other : one;

async function affected(batch: readonly StoredEvent[], known: PublishedRecords): Promise<Affected> {
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
  const of = (resource: Resource): ReadonlyMap<string, StoredEvent> => touched.get(resource) ?? new Map();
  return { every: [...of('topics').values()].at(-1) ?? null, meetings: of('meetings'), items: of('agenda_items') };
}

/** By id: the contents as stated or else as the log has them now, null where withdrawn; without those that changed after `through`. */
async function itemsNow(
  known: ChangedRecords,
  ids: readonly string[],
  through: Position | null,
  stated: Contents = new Map(),
): Promise<Contents> {
  const last = await known.lastChanges(
    'agenda_items',
    ids.filter((id) => !stated.has(id)),
  );
  const items = new Map<string, Item | null>();
  for (const id of ids) {
    const change = last.get(id);
    if (change === undefined || through === null || change.position <= through) items.set(id, stated.get(id) ?? change?.data ?? null);
  }
  return items;
}

type Topics = readonly RecordData<'topics'>[];

interface HitChange {
  readonly itemId: string;
  readonly change: RecordChange;
}

/** Leaves equal hits unchanged, and hits that another classifier or an import has written, also under our id. */
async function hitChanges(
  deps: ClassificationDependencies,
  items: Contents,
  topics: Topics,
  causeOf: Asked['causeOf'],
): Promise<readonly HitChange[]> {
  const { known, classifier } = deps;
  const isOwn = (hit: RecordData<'agenda_hits'>): boolean =>
    hit.classifier === classifier.name || classifier.formerNames.includes(hit.classifier);
  const wanted = await classifyAll(deps, items, topics, causeOf);
  const referring = await known.referring('agenda_hits', 'agendaItemId', [...items.keys()]);
  const wantedIds = [...wanted.values()].flatMap((hits) => hits.map(({ id }) => id));
  const existing = await known.current('agenda_hits', [...new Set([...referring, ...wantedIds])]);
  const changes: HitChange[] = [];
  for (const [itemId, item] of items) {
    const cause = causeOf(itemId, item);
    const classifiedAt = new Date(cause.time).toISOString();
    for (const hit of wanted.get(itemId) ?? []) {
      const standing = existing.get(hit.id);
      if (standing !== undefined && (!isOwn(standing) || saysTheSame(standing, hit))) continue;
      const content = { ...hit.content, classifiedAt };
      changes.push({ itemId, change: { op: 'upsert', resource: 'agenda_hits', id: hit.id, content, causedBy: cause.id } });
    }
  }
  for (const [id, hit] of existing) {
    const item = items.get(hit.agendaItemId);
    if (item === undefined || !isOwn(hit) || wanted.get(hit.agendaItemId)?.some((one) => one.id === id)) continue;
    const reason = 'the item is no longer about the topic';
    changes.push({
      itemId: hit.agendaItemId,
      change: { op: 'remove', resource: 'agenda_hits', id, reason, causedBy: causeOf(hit.agendaItemId, item).id },
    });
  }
  return changes;
}

async function classifyAll({ known, classifier }: ClassificationDependencies, items: Contents, topics: Topics, causeOf: Asked['causeOf']) {
  const published = [...items].filter((entry): entry is [string, Item] => entry[1] !== null);
  const meetings = await known.current('meetings', unique(published.map(([, { meetingId }]) => meetingId)));
  const bodies = await known.current('public_bodies', unique([...meetings.values()].map(({ publicBodyId }) => publicBodyId)));
  const jurisdictions = await known.current('jurisdictions', unique([...bodies.values()].map(({ jurisdictionId }) => jurisdictionId)));
  const wanted = new Map<string, readonly ClassifiedHit[]>();
  for (const [id, item] of published) {
    const meeting = meetings.get(item.meetingId);
    const body = meeting && bodies.get(meeting.publicBodyId);
    const jurisdiction = body && jurisdictions.get(body.jurisdictionId);
    if (jurisdiction === undefined) continue;
    if (wanted.size % ITEMS_A_TURN === 0) await new Promise(setImmediate);
    const today = dateOfDay(localDay(causeOf(id, item).time, meeting!.timezone));
    wanted.set(id, await classifier.classify({ item, meeting: meeting!, body: body!, jurisdiction, today }, topics));
  }
  return wanted;
}

const unique = (ids: readonly string[]): readonly string[] => [...new Set(ids)];

/** Equal apart from the time of classification, which is that of the earlier change. */
const saysTheSame = (
  { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...standing }: RecordData<'agenda_hits'>,
  { content }: ClassifiedHit,
): boolean =>
  canonicalJson(standing) === canonicalJson(RECORD_SCHEMAS.agenda_hits.parse({ ...content, classifiedAt: standing.classifiedAt }));
