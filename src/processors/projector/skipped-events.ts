import { PROJECTION_EVENT_SKIPPED, projectionEventSkipped } from '../../../domain/events/feed-events.ts';
import type { EventLog } from '../../../domain/ports/event-log.ts';
import { streamEvents } from '../../../domain/read-log.ts';
import { projectionStream } from '../../../domain/streams.ts';

/** Ids of the events that an operator skipped in a projection; read before each fold, so that every rebuild skips them. */
export async function readSkippedEvents(log: EventLog, projection: string): Promise<ReadonlySet<string>> {
  const skipped = new Set<string>();
  for await (const { type, data } of streamEvents(log, projectionStream(projection))) {
    if (type === PROJECTION_EVENT_SKIPPED) skipped.add(projectionEventSkipped.parse(JSON.parse(data)).eventId);
  }
  return skipped;
}
