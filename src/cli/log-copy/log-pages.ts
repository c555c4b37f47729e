import { type EventLog, LOG_START, type StoredEvent } from '../../../domain/ports/event-log.ts';
import { logEvents } from '../../../domain/read-log.ts';

export const PAGE = 1_000;

/** Every event of a log from its first. */
export const eventsOf = (log: EventLog, signal: AbortSignal): AsyncGenerator<StoredEvent> =>
  logEvents(log, LOG_START, { batchSize: PAGE, signal });

/** An event without its position. */
export type CopiedEvent = Omit<StoredEvent, 'position'>;

/** A copied event as one line. */
export const lineOf = ({ stream, revision, id, type, schemaVersion, data, metadata, time }: CopiedEvent): string =>
  `${JSON.stringify([stream, revision, id, type, schemaVersion, data, metadata, time])}\n`;
