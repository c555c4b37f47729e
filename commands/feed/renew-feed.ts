import { canonicalJson } from '../../domain/canonical-json.ts';
import { FEED_OPENED, FEED_RENEWED, type FeedOpened, type FeedRenewed } from '../../domain/events/feed-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import { hasEvent } from '../../domain/event-mark.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { type EventLog, LOG_START, type NewEvent, type Position, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { BegunRenewal, InstallationStore } from '../../domain/ports/installation.ts';
import { FEED_STREAM } from '../../domain/streams.ts';
import { newEvents } from '../handle.ts';

export interface Renewal extends FeedRenewed {
  readonly commandId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** The events that give the feed another identity; appended together to its stream. */
export function renewalEvents({ commandId, time, feedId, previousFeedId, reason }: Renewal): readonly NewEvent[] {
  // The schema has only `created` and `restored`; the operator's reason is in `FeedRenewed`.
  const opened: FeedOpened = { feedId, reason: 'restored' };
  const renewed: FeedRenewed = { feedId, previousFeedId, reason };
  const decided = [
    { type: FEED_OPENED, data: canonicalJson(opened) },
    { type: FEED_RENEWED, data: canonicalJson(renewed) },
  ];
  return newEvents(decided, { commandId, time });
}

/** The feed id in an event of the feed's stream. */
export const feedIdOf = ({ data }: Pick<StoredEvent, 'data'>): string => (JSON.parse(data) as { readonly feedId: string }).feedId;

export interface RenewedFeed {
  readonly feedId: string;
  readonly previousFeedId: string;
  readonly position: Position;
}

/**
 * Gives the feed of an opened log another identity, after the log was set back by other means than `civic restore`. Every earlier cursor is
 * then answered 410. Throws what the log throws.
 */
export async function renewFeed(
  { log, clock, identifiers }: { readonly log: EventLog; readonly clock: Clock; readonly identifiers: Identifiers },
  reason: string,
): Promise<RenewedFeed> {
  const [commandId, feedId] = [identifiers.next(), identifiers.next()];
  for (;;) {
    const newest = (await log.readLast([FEED_STREAM])).get(FEED_STREAM);
    if (newest === undefined) throw new Error('the feed has not been opened: there is nothing to renew');
    const previousFeedId = feedIdOf(newest);
    const events = renewalEvents({ commandId, time: clock.now(), feedId, previousFeedId, reason });
    const outcome = await log.append({ stream: FEED_STREAM, expectedRevision: newest.revision, events });
    if (outcome.kind === 'appended') return { feedId, previousFeedId, position: outcome.position };
  }
}

/** Finds the last events of read models and reactors that the log does not have. Throws what the log throws. */
export async function whatLogHasLost(
  { installation, log }: { readonly installation: Pick<InstallationStore, 'lastEvents'>; readonly log: EventLog },
  logId: string,
): Promise<Pick<BegunRenewal, 'usableUpTo' | 'lost' | 'intactUpTo'>> {
  const head = await log.head();
  const seen = await installation.lastEvents(logId);
  const found = await Promise.all(seen.map((event) => hasEvent(log, event)));
  const intact = seen.flatMap(({ position }, index) => (found[index] ? [position] : [])).toSorted();
  const lost = seen.filter((_, index) => !found[index]);
  // An older program stored no last events: then only the head of the log is known.
  const intactUpTo = seen.length === 0 ? head : (intact.at(-1) ?? LOG_START);
  // A checkpoint may be later than its last event and lie in lost history, also where the log has grown past it.
  return { usableUpTo: lost.length === 0 ? head : intactUpTo, lost, intactUpTo };
}
