import { canonicalJson } from '../../domain/canonical-json.ts';
import { FEED_OPENED, type FeedOpened } from '../../domain/events/feed-events.ts';
import { RESTORE_BEGUN, RESTORE_FINISHED, restoreBegun } from '../../domain/events/restore-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { type EventLog, LOG_START, NO_STREAM, type StoredEvent } from '../../domain/ports/event-log.ts';
import { FEED_STREAM } from '../../domain/streams.ts';
import { newEvents } from '../handle.ts';

/** A restore into this log has begun and has not ended: the log is incomplete and must not be served. */
class UnfinishedRestore extends Error {
  override readonly name = 'UnfinishedRestore';
}

/** Throws `UnfinishedRestore` where the restore that this event begins has not ended. */
async function requireFinishedRestore(log: Pick<EventLog, 'readLast'>, begun: StoredEvent): Promise<void> {
  const last = (await log.readLast([begun.stream])).get(begun.stream);
  if (last?.type === RESTORE_FINISHED) return;
  const { backupId, events } = restoreBegun.parse(JSON.parse(begun.data));
  throw new UnfinishedRestore(
    `a restore of the backup ${backupId} (${events} events) into this log has not ended: run \`civic restore FILE\` with the same file again and it goes on, or give an empty database`,
  );
}

/** The first event of the log is not one of this service. */
export class ForeignLogFound extends Error {
  override readonly name = 'ForeignLogFound';
}

/**
 * Ensures that the log begins with the event that gives the feed its identity, or with the one that begins a restore. Resolves to the newest
 * event of the feed's stream, which holds the `feedId`. Safe in concurrent processes: the feed's stream decides. Throws
 * `ForeignLogFound` for a log that begins with anything else, and `UnfinishedRestore`.
 */
export async function openFeed(log: EventLog, clock: Clock, identifiers: Identifiers): Promise<StoredEvent> {
  for (;;) {
    const { events } = await log.readAll({ after: LOG_START, limit: 1 });
    const first = events[0];
    if (first !== undefined) {
      if (first.type === RESTORE_BEGUN) await requireFinishedRestore(log, first);
      else if (first.type !== FEED_OPENED) throw foreign(first);
      const newest = (await log.readLast([FEED_STREAM])).get(FEED_STREAM);
      if (newest === undefined) throw foreign(first);
      return newest;
    }
    const commandId = identifiers.next();
    const data: FeedOpened = { feedId: identifiers.next(), reason: 'created' };
    const opened = newEvents([{ type: FEED_OPENED, data: canonicalJson(data) }], { commandId, time: clock.now() });
    await log.append({ stream: FEED_STREAM, expectedRevision: NO_STREAM, events: opened });
  }
}

const foreign = ({ type }: StoredEvent): ForeignLogFound =>
  new ForeignLogFound(`the log begins with ${type} instead of ${FEED_OPENED}: it is not a log of this service; give it an empty one`);
