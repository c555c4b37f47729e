import { type EventLog, LOG_START, type StoredEvent } from '../../domain/ports/event-log.ts';

const PAGE = 1_000;

/** Every event of a log from its first, page by page, one page read ahead; ends where the log ends. */
export async function* pagesOf(log: EventLog, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
  let next = log.readAll({ after: LOG_START, limit: PAGE });
  for (let after = LOG_START; ; ) {
    const { events, scannedTo } = await next;
    signal.throwIfAborted();
    if (scannedTo === after) return;
    after = scannedTo;
    next = log.readAll({ after, limit: PAGE });
    next.catch(() => undefined);
    yield events;
  }
}

/** The same, event by event. */
export async function* eventsOf(log: EventLog, signal: AbortSignal): AsyncGenerator<StoredEvent> {
  for await (const page of pagesOf(log, signal)) yield* page;
}

/** Everything of an event but its position: what a copy must keep. */
export type CopiedEvent = Omit<StoredEvent, 'position'>;

/** A copied event as one line. */
export const lineOf = ({ stream, revision, id, type, schemaVersion, data, metadata, time }: CopiedEvent): string =>
  `${JSON.stringify([stream, revision, id, type, schemaVersion, data, metadata, time])}\n`;
