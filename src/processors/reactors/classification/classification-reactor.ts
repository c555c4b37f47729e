import type { RecordWriter } from '../../../../commands/records/write-records.ts';
import { RECORD_EVENT_TYPES } from '../../../../domain/events/record-events.ts';
import type { Classifier } from '../../../../domain/ports/classifier.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { EventLog, Position, StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { ChangedRecords, Progress, PublishedRecords } from '../../../../domain/ports/projection.ts';
import type { BatchHandler, Reactor, ReactorRunning } from '../../../../domain/ports/reactors.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { chunksOf } from '../../../../plumbing/chunks.ts';
import { untilCaughtUp } from '../../runtime/until-caught-up.ts';
import { collectContents, findAffected, later, selectFollowed } from './affected-items.ts';
import { createGivenUpItems, type GivenUpDependencies } from './given-up-items.ts';
import { type CauseOf, type Contents, findHitChanges, type HitChange, type Item, type Topics } from './hit-changes.ts';

export const CLASSIFICATION = 'classification';

export interface ClassificationDependencies extends GivenUpDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly writer: RecordWriter;
  readonly known: PublishedRecords & ChangedRecords;
  readonly classifier: Classifier;
  readonly progress: Progress;
  /** Read models that serve `known`. */
  readonly readModels: readonly string[];
  readonly currentIds: (resource: Resource) => AsyncIterable<readonly string[]>;
}

/** Items classified per turn; each can have 1 MiB. */
const ITEMS_PER_TURN = 100;
/** Meetings whose items are looked up at once. */
const MEETINGS_PER_READ = 20;

/** Updates the hits of every agenda item to the result of the classifier, through the ordinary record commands. */
export const createClassificationReactor = (deps: ClassificationDependencies): Reactor => ({
  name: CLASSIFICATION,
  follows: RECORD_EVENT_TYPES,
  runsOnStart: true,
  begin: () => beginClassifying(deps),
});

/** The reason for classifying items. */
interface Occasion {
  readonly causeOf: CauseOf;
  /**
   * Items that changed after this position are skipped, because they are classified when the log is read up to that
   * change. Null skips none.
   */
  readonly through: Position | null;
  /** Contents from the batch. Most items have no hits, so this avoids reading most of them. */
  readonly contents: Contents;
}

/**
 * Classifies the items that a batch affects: changed items and those of changed meetings, bodies and jurisdictions. A
 * changed topic affects every item. The empty batch at a start classifies every item again if the rules changed.
 */
function beginClassifying(deps: ClassificationDependencies): BatchHandler {
  /** Read on demand; forgotten when a topic changes. */
  let topics: Topics | undefined;
  /** Position of the last event that this reactor wrote, or the head at its start. */
  let lastWritten: Position | undefined;
  const givenUp = createGivenUpItems(deps);

  const catchUp = async (position: Position, signal: AbortSignal) => {
    lastWritten ??= await deps.log.head();
    await untilCaughtUp(deps, position > lastWritten ? position : lastWritten, 'classify', signal);
  };

  const classifyTurn = async (ids: readonly string[], occasion: Occasion, { signal, confirm }: ReactorRunning) => {
    const { causeOf, through, contents } = occasion;
    const classification = { topics: (topics ??= await readTopics(deps)), causeOf, givenUp, signal };
    let changes = await findHitChanges(deps, await readItems(deps.known, ids, { through, contents }), classification);
    if (changes.length > 0 && contents.size > 0) {
      // The batch might be behind the log: hits are written from the content that the item has now.
      const changed = [...new Set(changes.map(({ itemId }) => itemId))];
      changes = await findHitChanges(deps, await readItems(deps.known, changed, { through }), classification);
    }
    await givenUp.save(confirm);
    if (changes.length === 0) return;
    await confirm();
    lastWritten = newest(lastWritten, await writeHits(deps.writer, changes));
  };

  const classify = async (ids: readonly string[], occasion: Occasion, running: ReactorRunning) => {
    for (const turn of chunksOf(ids, ITEMS_PER_TURN)) {
      running.signal.throwIfAborted();
      await classifyTurn(turn, occasion, running);
    }
  };

  /** Classifies the items with outdated hits last, so that an interrupted run is repeated. */
  const renew = async (running: ReactorRunning) => {
    await catchUp(await deps.log.head(), running.signal);
    const outdated = new Set([...(await readOutdatedItems(deps)), ...(await givenUp.ofFormerRules())]);
    if (outdated.size === 0) return;
    const cause = { time: deps.clock.now() };
    const occasion: Occasion = { causeOf: () => cause, through: null, contents: new Map() };
    for await (const ids of deps.currentIds('agenda_items')) await classify(without(ids, outdated), occasion, running);
    await classify([...outdated], occasion, running);
  };

  return async (batch, running) => {
    if (batch.length === 0) return renew(running);
    const followed = selectFollowed(batch);
    if (followed.length === 0) return;
    const through = batch.at(-1)!.position;
    await catchUp(through, running.signal);
    const { every, meetings, items } = await findAffected(followed, deps.known);
    const causeOf = (id: string, item: Item | null): StoredEvent =>
      later(items.get(id), item === null ? undefined : meetings.get(item.meetingId)) ?? every ?? followed.at(-1)!;
    const changed = new Set(items.keys());
    if (every === null) {
      const occasion = { causeOf, through, contents: collectContents(followed) };
      for await (const ids of itemsOf([...meetings.keys()], deps.known))
        await classify(without(ids, changed), occasion, running);
      return classify([...changed], occasion, running);
    }
    topics = undefined;
    const occasion = { causeOf, through, contents: new Map() };
    for await (const ids of deps.currentIds('agenda_items')) {
      await classify(ids, occasion, running);
      for (const id of ids) changed.delete(id);
    }
    // The remaining items are withdrawn and lose their hits.
    return classify([...changed], occasion, running);
  };
}

const without = (ids: readonly string[], excluded: ReadonlySet<string>): readonly string[] =>
  ids.filter((id) => !excluded.has(id));

async function* itemsOf(meetings: readonly string[], known: PublishedRecords) {
  for (const chunk of chunksOf(meetings, MEETINGS_PER_READ))
    yield await known.referring('agenda_items', 'meetingId', chunk);
}

/**
 * Returns the items with hits of former rules. Hits come in the order of their last change, so none after the first hit
 * of the current rules is outdated.
 */
async function readOutdatedItems({
  currentIds,
  known,
  classifier,
}: ClassificationDependencies): Promise<ReadonlySet<string>> {
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

async function readTopics({ currentIds, known }: ClassificationDependencies): Promise<Topics> {
  const topics: RecordData<'topics'>[] = [];
  for await (const ids of currentIds('topics')) topics.push(...(await known.current('topics', ids)).values());
  return topics.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

/**
 * Returns the contents from the batch or else from the log; null for withdrawn items. Skips items that changed after
 * `through`.
 */
async function readItems(
  known: ChangedRecords,
  ids: readonly string[],
  { through, contents = new Map() }: Pick<Occasion, 'through'> & Partial<Pick<Occasion, 'contents'>>,
): Promise<Contents> {
  const unread = ids.filter((id) => !contents.has(id));
  const last = await known.lastChanges('agenda_items', unread);
  const items = new Map<string, Item | null>();
  for (const id of ids) {
    const change = last.get(id);
    if (change === undefined || through === null || change.position <= through)
      items.set(id, contents.get(id) ?? change?.data ?? null);
  }
  return items;
}

/** Returns the position of the last event written, if any. */
async function writeHits(writer: RecordWriter, changed: readonly HitChange[]): Promise<Position | undefined> {
  const changes = changed.map(({ change }) => change);
  let last: Position | undefined;
  for (const [index, outcome] of (await writer.write(changes, {})).entries()) {
    if (outcome.kind === 'rejected') throw new Error(`the hit ${changes[index]!.id} was rejected: ${outcome.reason}`);
    if (outcome.kind === 'appended') last = newest(last, outcome.position);
  }
  return last;
}

const newest = (one: Position | undefined, other: Position | undefined): Position | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;
