import { PROJECTION_EVENT_SKIPPED, projectionEventSkipped } from '../../src/domain/events/feed-events.ts';
import type { EventLog } from '../../src/domain/ports/event-log.ts';
import { projectionStream } from '../../src/domain/streams.ts';

const PAGE = 500;

/** Ids of the events that an operator had a projection leave out; read before folding, so that every rebuild honours them. */
export const readSkippedEvents = async (log: EventLog, projection: string): Promise<ReadonlySet<string>> => {
  const skipped = new Set<string>();
  for (let after = -1; ; ) {
    const events = await log.readStream(projectionStream(projection), after, PAGE);
    for (const event of events) {
      if (event.type === PROJECTION_EVENT_SKIPPED) skipped.add(projectionEventSkipped.parse(JSON.parse(event.data)).eventId);
    }
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return skipped;
    after = last.revision;
  }
};
