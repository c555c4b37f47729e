import { FEED_OPENED, feedOpened } from '../src/domain/events/feed-events.ts';
import { type EventLog, NO_STREAM } from '../src/domain/ports/event-log.ts';
import { FEED_STREAM } from '../src/domain/streams.ts';

const PAGE = 500;

/** Every identity that the feed of this log has had: a new one with each restore. */
export const feedIdentities = async (log: EventLog): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for (let after = NO_STREAM; ; ) {
    const events = await log.readStream(FEED_STREAM, after, PAGE);
    for (const { type, data } of events) if (type === FEED_OPENED) ids.add(feedOpened.parse(JSON.parse(data)).feedId);
    if (events.length < PAGE) return ids;
    after = events.at(-1)!.revision;
  }
};
