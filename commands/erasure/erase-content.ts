import { withTrueFacts } from '../../domain/agenda/item-facts.ts';
import { erasedValue, eraseFromEvent, pointerOf } from '../../domain/erasure/erase-from-event.ts';
import { CONTENT_ERASED, type ContentErased, type ErasureReason } from '../../domain/events/erasure-events.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import {
  type ErasingLog,
  type EventLog,
  NO_STREAM,
  OutcomeUnknown,
  type Position,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { isResource, type RecordData } from '../../domain/records/resources.ts';
import { category, ERASURES_STREAM, streamId } from '../../domain/streams.ts';
import { type CommandPorts, newEvents } from '../handle.ts';
import { type Erasing, planEvent, type PlannedEvent } from './plan-erasure.ts';
import { Rejection } from '../../domain/rejections.ts';
import { decide, evolve, initialState } from '../records/record-decider.ts';

/** A stream to search, or those of its events that `isWanted` accepts. */
export interface ErasedStream {
  readonly stream: string;
  readonly isWanted?: (event: StoredEvent) => boolean;
}

export interface EraseContent {
  readonly streams: readonly ErasedStream[];
  readonly erasing: Erasing;
  readonly reason: ErasureReason;
  readonly by: string;
  /** Reports what would change and changes nothing. */
  readonly dryRun: boolean;
}

interface EraseDependencies extends CommandPorts {
  readonly log: EventLog & ErasingLog;
  readonly deadlineMs: number;
}

interface ErasedPlace {
  readonly eventId: string;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  /** JSON pointers into the event's data. */
  readonly pointers: readonly string[];
}

export interface ErasedContent {
  readonly places: readonly ErasedPlace[];
  readonly erasures: readonly string[];
  /** Number of records whose current content changed. */
  readonly changes: number;
  /** Position of the last appended event; null if there was nothing to erase. */
  readonly position: Position | null;
  /** Clock milliseconds. */
  readonly at: number;
}

const EVENTS_AT_ONCE = 500;
const CHARACTERS_AT_ONCE = 4_000_000;

/**
 * Erases a text from all events of some streams. If the current content of a record contains it, a record change
 * without it is appended first, so that the feed has the change; then an erasure covers the earlier events. Repeats
 * until no event contains the text, including those of concurrent writers. Throws `DeadlineExceeded`, or a `Rejection`
 * before anything is appended if the text must not be erased.
 */
export async function eraseContent(deps: EraseDependencies, command: EraseContent): Promise<ErasedContent> {
  const { log, clock } = deps;
  const deadline = clock.now() + deps.deadlineMs;
  const places = new Map<string, ErasedPlace>();
  for await (const planned of plannedEvents(log, command)) places.set(planned.stored.id, describePlace(planned));
  const erasures: string[] = [];
  let changes = 0;
  let position: Position | null = null;
  while (!command.dryRun && places.size > 0) {
    const followed = await followAll(deps, command, deadline);
    changes += followed.length;
    position = followed.at(-1) ?? position;
    // Read before the events, so that a later concurrent erasure makes the append conflict and everything is read
    // again.
    const expectedRevision = (await log.readLast([ERASURES_STREAM])).get(ERASURES_STREAM)?.revision ?? NO_STREAM;
    const { portion, isRest, isHeldBack } = await gather(log, command);
    if (portion.length > 0) {
      const appended = await append(deps, command, portion, expectedRevision);
      for (const planned of appended === null ? [] : portion) places.set(planned.stored.id, describePlace(planned));
      if (appended !== null) erasures.push(appended.id);
      position = appended?.position ?? position;
    }
    if (portion.length === 0 && isRest && !isHeldBack) break;
    if (clock.now() >= deadline)
      throw new DeadlineExceeded('concurrent changes prevented the erasure: run the same command again');
  }
  return { places: [...places.values()], erasures, changes, position, at: clock.now() };
}

const describePlace = ({ stored, texts }: PlannedEvent): ErasedPlace => ({
  eventId: stored.id,
  stream: stored.stream,
  version: stored.revision + 1,
  type: stored.type,
  pointers: texts.map(({ path }) => pointerOf(path)),
});

const plannedEvents = async function* (
  log: EventLog,
  { streams, erasing }: EraseContent,
): AsyncGenerator<PlannedEvent> {
  for (const { stream, isWanted = () => true } of streams) {
    for await (const stored of streamEvents(log, stream)) {
      const planned = isWanted(stored) ? planEvent(stored, erasing) : null;
      if (planned !== null) yield planned;
    }
  }
};

const isPublished = ({ type, stream }: StoredEvent): boolean =>
  type === RECORD_PUBLISHED && isResource(category(stream));

async function followAll(
  deps: EraseDependencies,
  { streams, erasing }: EraseContent,
  deadline: number,
): Promise<readonly Position[]> {
  const followed: Position[] = [];
  for (const stored of (await deps.log.readLast(streams.map(({ stream }) => stream))).values()) {
    const planned = isPublished(stored) ? planEvent(stored, erasing) : null;
    const position = planned === null ? null : await followWithChange(deps, planned, deadline);
    if (position !== null) followed.push(position);
  }
  return followed;
}

/**
 * Returns as many events as one erasure can contain; `isRest` if these are all. `isHeldBack`: a record change must
 * replace current content first.
 */
async function gather(log: EventLog, command: EraseContent) {
  const newest = await log.readLast(command.streams.map(({ stream }) => stream));
  const portion: PlannedEvent[] = [];
  let isHeldBack = false;
  let characters = 0;
  for await (const planned of plannedEvents(log, command)) {
    const { stored } = planned;
    if (isPublished(stored) && stored.revision >= newest.get(stored.stream)!.revision) {
      isHeldBack = true;
      continue;
    }
    portion.push(planned);
    characters += stored.data.length;
    if (portion.length >= EVENTS_AT_ONCE || characters >= CHARACTERS_AT_ONCE)
      return { portion, isRest: false, isHeldBack };
  }
  return { portion, isRest: true, isHeldBack };
}

async function append(
  { log, clock, identifiers }: EraseDependencies,
  { reason, by }: EraseContent,
  portion: readonly PlannedEvent[],
  expectedRevision: number,
): Promise<{ readonly id: string; readonly position: Position } | null> {
  const data = JSON.stringify(buildContentErased(portion, reason, by));
  const number = expectedRevision + 2;
  const rewritten = portion.map(({ stored, texts, replacements }) =>
    eraseFromEvent(stored, texts, replacements, number),
  );
  const events = newEvents([{ type: CONTENT_ERASED, data }], { commandId: identifiers.next(), time: clock.now() });
  const { id } = events[0]!;
  try {
    const outcome = await log.appendErasure({ stream: ERASURES_STREAM, expectedRevision, events }, rewritten);
    return outcome.kind === 'appended' ? { id, position: outcome.position } : null;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
    const [stored] = await log.readStream(ERASURES_STREAM, expectedRevision, 1);
    return stored?.id === id ? { id, position: stored.position } : null;
  }
}

function buildContentErased(portion: readonly PlannedEvent[], reason: ErasureReason, by: string): ContentErased {
  const numbers = new Map<string, number>();
  const numberReplacement = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const buildErasedEvent = ({ stored: { id, revision }, texts, replacements }: PlannedEvent) => {
    return {
      id,
      revision,
      texts: texts.map((text) => ({ ...text, with: numberReplacement(replacements[text.with]!) })),
    };
  };
  const byStream = Map.groupBy(portion, ({ stored }) => stored.stream);
  const streams = [...byStream].map(([stream, ofStream]) => ({ stream, events: ofStream.map(buildErasedEvent) }));
  return { reason, by, replacements: [...numbers.keys()], streams };
}

/**
 * Publishes the newest version of a record without the erased text, at exactly that revision, so that no concurrent
 * change is undone. Resolves to null on a conflict or an unknown outcome; the caller then reads the stream again.
 */
async function followWithChange(
  { log, clock, identifiers }: EraseDependencies,
  { stored, texts, replacements }: PlannedEvent,
  deadline: number,
): Promise<Position | null> {
  if (clock.now() >= deadline)
    throw new DeadlineExceeded('others keep changing the record: run the same command again');
  const erased = erasedValue(JSON.parse(stored.data) as RecordData, texts, replacements);
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...rest } = erased;
  const content = category(stored.stream) === 'agenda_items' ? withTrueFacts(rest as RecordData<'agenda_items'>) : rest;
  const time = clock.now();
  const command = { type: 'PublishRecord', id: streamId(stored.stream), content } as const;
  const decision = decide({ ...command, at: new Date(time).toISOString() }, evolve(initialState(), stored));
  if (decision instanceof Rejection) throw decision;
  const events = newEvents(decision, { commandId: identifiers.next(), time });
  try {
    const outcome = await log.append({ stream: stored.stream, expectedRevision: stored.revision, events });
    return outcome.kind === 'appended' ? outcome.position : null;
  } catch (error) {
    if (error instanceof OutcomeUnknown) return null;
    throw error;
  }
}
