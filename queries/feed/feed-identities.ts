import { FEED_OPENED, feedOpened } from '../../domain/events/feed-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import { streamEvents } from '../../domain/read-log.ts';
import { FEED_STREAM } from '../../domain/streams.ts';

/** Every identity that the feed of this log has had: a new one with each restore. */
export async function feedIdentities(log: EventLog): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { type, data } of streamEvents(log, FEED_STREAM)) {
    if (type === FEED_OPENED) ids.add(feedOpened.parse(JSON.parse(data)).feedId);
  }
  return ids;
}
