import {
  type EventLog,
  type EventMetadata,
  LOG_START,
  type NewEvent,
  type StoredEvent,
} from '../../../domain/ports/event-log.ts';
import { ByteLimit, logEvents } from '../../../domain/read-log.ts';
import { CommandFailed } from '../context.ts';

export const PAGE = 1_000;
/** Maximum events per call; large events make a call smaller. Both stores preserve the order of this many appends. */
const AT_ONCE = 200;

export type CopiedEvent = Omit<StoredEvent, 'position'>;

export const lineOf = ({ stream, revision, id, type, schemaVersion, data, metadata, time }: CopiedEvent): string =>
  `${JSON.stringify([stream, revision, id, type, schemaVersion, data, metadata, time])}\n`;

export const eventsOf = (log: EventLog, signal: AbortSignal): AsyncGenerator<StoredEvent> =>
  logEvents(log, LOG_START, { batchSize: PAGE, signal });

export interface Watched {
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => void;
}

/** Appends the events that the target lacks. Throws `CommandFailed` unless the target's events are the first events of the source. */
export async function copyEvents(
  source: AsyncGenerator<CopiedEvent>,
  target: EventLog,
  { signal, onProgress }: Watched,
) {
  let present = 0;
  for await (const existing of eventsOf(target, signal)) {
    const { value: event } = await source.next();
    if (event === undefined)
      throw new CommandFailed(
        `the target has more events than the source (${present}): it is another log, or another process writes to it`,
      );
    if (lineOf(event) !== lineOf(existing)) {
      throw new CommandFailed(
        `event ${present + 1} of the target (${existing.id} of ${existing.stream}) differs from the source (${event.id} of ${event.stream}): the target has another log; use an empty one`,
      );
    }
    present += 1;
    if (present % AT_ONCE === 0) onProgress(present);
  }
  let copied = 0;
  let waiting: CopiedEvent[] = [];
  let bytes = new ByteLimit();
  const flush = async (): Promise<void> => {
    for (const outcome of await target.appendEach(appendsOf(waiting))) {
      if (outcome.kind === 'conflict') throw new CommandFailed('another process writes to the target');
    }
    copied += waiting.length;
    waiting = [];
    bytes = new ByteLimit();
    onProgress(present + copied);
  };
  for await (const event of source) {
    // A call contains each stream only once, so that the order of the events is preserved.
    const isSeparate = waiting.at(-1)?.stream !== event.stream && waiting.some(({ stream }) => stream === event.stream);
    if (waiting.length >= AT_ONCE || bytes.isReached || isSeparate) await flush();
    waiting.push(event);
    bytes.add(event.data);
  }
  if (waiting.length > 0) await flush();
  return { present, copied };
}

const appendsOf = (events: readonly CopiedEvent[]) =>
  [...Map.groupBy(events, ({ stream }) => stream)].map(([stream, ofStream]) => ({
    stream,
    expectedRevision: ofStream[0]!.revision - 1,
    events: ofStream.map(
      ({ id, type, schemaVersion, data, metadata, time }): NewEvent => ({
        id,
        type,
        schemaVersion,
        data,
        metadata: JSON.parse(metadata) as EventMetadata,
        time,
      }),
    ),
  }));

/** Compares a log with the expected events. Throws `CommandFailed` with the remedy at the first difference. */
export async function* comparedEvents<Wanted extends CopiedEvent>(
  expected: AsyncIterable<Wanted>,
  log: EventLog,
  { signal, onProgress }: Watched,
  remedy: string,
): AsyncGenerator<{ readonly event: Wanted; readonly stored: StoredEvent; readonly line: string }> {
  const copiedEvents = eventsOf(log, signal);
  let events = 0;
  for await (const event of expected) {
    const { value: stored } = await copiedEvents.next();
    const line = lineOf(event);
    events += 1;
    if (stored === undefined || lineOf(stored) !== line) {
      const what = stored === undefined ? 'is missing' : 'differs from what was written';
      throw new CommandFailed(`event ${events} ${what} (${event.type} of ${event.stream}): ${remedy}`);
    }
    yield { event, stored, line };
    if (events % PAGE === 0) onProgress(events);
  }
  const { value: more } = await copiedEvents.next();
  if (more !== undefined)
    throw new CommandFailed(`something else has written ${more.type} of ${more.stream} to the log: ${remedy}`);
}
