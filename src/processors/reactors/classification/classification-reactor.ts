import type { RecordChange, RecordWriter } from '../../../../commands/records/record-writer.ts';
import { RECORD_EVENT_TYPES } from '../../../../domain/events/record-events.ts';
import type { Classifier } from '../../../../domain/ports/classifier.ts';
import type { Clock } from '../../../../domain/ports/clock.ts';
import type { EventLog, Position, StoredEvent } from '../../../../domain/ports/event-log.ts';
import type { PublishedRecords } from '../../../../domain/ports/published-records.ts';
import type { Progress } from '../../../../domain/ports/projection.ts';
import { type BatchHandler, type Reactor, type ReactorRunning } from '../../../../domain/ports/reactors.ts';
import type { RecordData, Resource } from '../../../../domain/records/resources.ts';
import { recordOfStream } from '../../../../domain/streams.ts';
import { untilCaughtUp } from '../../runtime/until-caught-up.ts';
import { affectedItems } from './affected-items.ts';
import { hitChanges } from './hit-changes.ts';

export const CLASSIFICATION = 'classification';

export interface ClassificationDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly writer: RecordWriter;
  readonly known: PublishedRecords;
  readonly classifier: Classifier;
  readonly progress: Progress;
  /** Read models that `known` is answered from. */
  readonly readModels: readonly string[];
  /** Ids of the current records of a resource, in pages. */
  readonly currentIds: (resource: Resource) => AsyncIterable<readonly string[]>;
}

/** The events that affect a hit; events of hits themselves are not among them. */
const FOLLOWED: ReadonlySet<Resource> = new Set(['jurisdictions', 'public_bodies', 'topics', 'meetings', 'agenda_items']);
const ITEMS_AT_ONCE = 250;

/** Keeps the hits of every agenda item what the classifier says of it, through the ordinary record commands. */
export const createClassificationReactor = (deps: ClassificationDependencies): Reactor => ({
  name: CLASSIFICATION,
  follows: RECORD_EVENT_TYPES,
  begin: () => beginClassifying(deps),
});

function beginClassifying(deps: ClassificationDependencies): BatchHandler {
  let topics: readonly RecordData<'topics'>[] | undefined;
  let written: Position | undefined;

  const catchUp = async (position: Position, signal: AbortSignal) => {
    written ??= await deps.log.head();
    await untilCaughtUp(deps, position > written ? position : written, 'classify', signal);
  };

  const classify = async (items: ReadonlyMap<string, StoredEvent>, { signal, confirm }: ReactorRunning) => {
    const ids = [...items];
    for (let start = 0; start < ids.length; start += ITEMS_AT_ONCE) {
      signal.throwIfAborted();
      const changes = await hitChanges(deps, new Map(ids.slice(start, start + ITEMS_AT_ONCE)), (topics ??= await currentTopics(deps)));
      if (changes.length === 0) continue;
      await confirm();
      written = newest(written, await write(deps.writer, changes));
    }
  };

  return async (batch, running) => {
    const followed = batch.filter(({ stream }) => FOLLOWED.has(recordOfStream(stream).resource));
    if (followed.length === 0) return;
    await catchUp(batch.at(-1)!.position, running.signal);
    const { every, items } = await affectedItems(followed, deps.known);
    if (every === null) return classify(items, running);
    topics = undefined;
    for await (const ids of deps.currentIds('agenda_items'))
      await classify(new Map(ids.map((id) => [id, items.get(id) ?? every])), running);
    return classify(items, running);
  };
}

async function currentTopics({ currentIds, known }: ClassificationDependencies): Promise<readonly RecordData<'topics'>[]> {
  const topics: RecordData<'topics'>[] = [];
  for await (const ids of currentIds('topics')) topics.push(...(await known.current('topics', ids)).values());
  return topics.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}

async function write(writer: RecordWriter, changes: readonly RecordChange[]): Promise<Position | undefined> {
  let last: Position | undefined;
  for (const [index, outcome] of (await writer.write(changes, {})).entries()) {
    if (outcome.kind === 'rejected') throw new Error(`the hit ${changes[index]!.id} was refused: ${outcome.reason}`);
    if (outcome.kind === 'appended') last = newest(last, outcome.position);
  }
  return last;
}

const newest = (one: Position | undefined, other: Position | undefined): Position | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one;
