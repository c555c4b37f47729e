import { type EventLog, LOG_START, type LogBatch, type StoredEvent } from './ports/event-log.ts';

/** Distinguishes an event from every event of another history. Its id alone does not: derived ids can return. */
export type EventMark = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'position'>;

export function lastMarkOf(events: readonly StoredEvent[]): EventMark | null {
  const last = events.at(-1);
  return last === undefined ? null : { stream: last.stream, revision: last.revision, id: last.id, position: last.position };
}

/** An event and its place in a log that counts its events, the first one 1. */
export interface CountedEvent {
  readonly id: string;
  readonly place: number;
}

/**
 * The farthest event of a batch, which the store checks in the transaction of a checkpoint, so that no checkpoint follows events that a failover
 * has lost. Null where the log does not count, or nothing was looked at.
 */
export function farthestOf(log: Pick<EventLog, 'distance'>, { events, scannedTo, scannedId }: LogBatch): CountedEvent | null {
  const newest = events.at(-1);
  const [id, position] = scannedId === undefined ? [newest?.id, newest?.position] : [scannedId, scannedTo];
  if (id === undefined || position === undefined) return null;
  const place = log.distance(LOG_START, position);
  return place === null ? null : { id, place };
}

/** Whether the log has this event. Throws what the log throws. */
export async function hasEvent(log: Pick<EventLog, 'readStream'>, { stream, revision, id, position }: EventMark): Promise<boolean> {
  const [found] = await log.readStream(stream, revision - 1, 1);
  return found?.revision === revision && found.id === id && found.position === position;
}
