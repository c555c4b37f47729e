import { newEvents } from '../handle.ts';
import { canonicalJson } from '../../domain/digests.ts';
import { hasEvent } from '../../domain/read-log.ts';
import {
  FEED_OPENED,
  FEED_RENEWED,
  type FeedOpened,
  type FeedRenewed,
  RESTORE_BEGUN,
  RESTORE_FINISHED,
  restoreBegun,
} from '../../domain/events/feed-events.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import {
  type EventLog,
  LOG_START,
  type NewEvent,
  NO_STREAM,
  type Position,
  type StoredEvent,
} from '../../domain/ports/event-log.ts';
import type { BegunRenewal, FillLock, InstallationStore } from '../../domain/ports/stores.ts';
import { FEED_STREAM } from '../../domain/streams.ts';

class UnfinishedRestore extends Error {
  override readonly name = 'UnfinishedRestore';
}

async function requireFinishedRestore(log: Pick<EventLog, 'readLast'>, restoreStart: StoredEvent): Promise<void> {
  const last = (await log.readLast([restoreStart.stream])).get(restoreStart.stream);
  if (last?.type === RESTORE_FINISHED) return;
  const { backupId, events } = restoreBegun.parse(JSON.parse(restoreStart.data));
  throw new UnfinishedRestore(
    `a restore of the backup ${backupId} (${events} events) into this log has not ended: run \`civic restore FILE\` with the same file again and it goes on, or give an empty database`,
  );
}

export class ForeignLogFound extends Error {
  override readonly name = 'ForeignLogFound';
}

/**
 * Returns the newest event of the feed's stream, which contains the `feedId`; null for an empty log. Throws
 * `UnfinishedRestore`, or `ForeignLogFound` if the first event is not that of a feed or a restore.
 */
export async function openedFeed(log: Pick<EventLog, 'readAll' | 'readLast'>): Promise<StoredEvent | null> {
  const { events } = await log.readAll({ after: LOG_START, limit: 1 });
  const first = events[0];
  if (first === undefined) return null;
  if (first.type === RESTORE_BEGUN) await requireFinishedRestore(log, first);
  else if (first.type !== FEED_OPENED) throw foreign(first);
  const newest = (await log.readLast([FEED_STREAM])).get(FEED_STREAM);
  if (newest === undefined) throw foreign(first);
  return newest;
}

class FilledElsewhere extends Error {
  override readonly name = 'FilledElsewhere';
}

/**
 * Milliseconds between attempts to open a log that another process fills, and their maximum number. Filling takes less
 * than a second.
 */
const [LOOK_AGAIN_MS, MAX_LOOKS] = [50, 200];

interface FeedOpening {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  readonly fillLock: FillLock;
}

/**
 * Returns the newest event of the feed's stream, after appending the first one to an empty log. Safe in concurrent
 * processes: one fills the log. Throws `FilledElsewhere` if another one takes longer than ten seconds.
 */
export async function openFeed({ log, clock, identifiers, fillLock }: FeedOpening): Promise<StoredEvent> {
  const append = async (): Promise<StoredEvent> => {
    // A restore might have begun and failed between the first check and the lock.
    const opened = await openedFeed(log);
    if (opened !== null) return opened;
    const commandId = identifiers.next();
    const data: FeedOpened = { feedId: identifiers.next(), reason: 'created' };
    const events = newEvents([{ type: FEED_OPENED, data: canonicalJson(data) }], { commandId, time: clock.now() });
    await log.append({ stream: FEED_STREAM, expectedRevision: NO_STREAM, events });
    return append();
  };
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const opened = (await openedFeed(log)) ?? (await fillLock.tryRun(append));
    if (opened !== null) return opened;
    await clock.sleep(LOOK_AGAIN_MS);
  }
  throw new FilledElsewhere(
    'another process fills the empty log, by a restore or a first start: start again when it has ended',
  );
}

const foreign = ({ type }: StoredEvent): ForeignLogFound =>
  new ForeignLogFound(
    `the log begins with ${type} instead of ${FEED_OPENED}: it is not a log of this service; give it an empty one`,
  );

interface Renewal extends FeedRenewed {
  readonly commandId: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Creates the events of a new feed identity, to be appended together to the feed's stream. */
export function renewalEvents({ commandId, time, feedId, previousFeedId, reason }: Renewal): readonly NewEvent[] {
  // The schema only has `created` and `restored`; the operator's reason is in `FeedRenewed`.
  const opened: FeedOpened = { feedId, reason: 'restored' };
  const renewed: FeedRenewed = { feedId, previousFeedId, reason };
  const decided = [
    { type: FEED_OPENED, data: canonicalJson(opened) },
    { type: FEED_RENEWED, data: canonicalJson(renewed) },
  ] as const;
  return newEvents(decided, { commandId, time });
}

export const readFeedId = ({ data }: Pick<StoredEvent, 'data'>): string =>
  (JSON.parse(data) as { readonly feedId: string }).feedId;

/**
 * Renews the identity of a feed whose log was set back without `civic restore`. Earlier cursors are answered with 410.
 * Throws what the log throws.
 */
export async function renewFeed(
  { log, clock, identifiers }: { readonly log: EventLog; readonly clock: Clock; readonly identifiers: Identifiers },
  reason: string,
): Promise<Pick<FeedRenewed, 'feedId' | 'previousFeedId'> & { readonly position: Position }> {
  const [commandId, feedId] = [identifiers.next(), identifiers.next()];
  for (;;) {
    const newest = (await log.readLast([FEED_STREAM])).get(FEED_STREAM);
    if (newest === undefined) throw new Error('the feed has not been opened: there is nothing to renew');
    const previousFeedId = readFeedId(newest);
    const events = renewalEvents({ commandId, time: clock.now(), feedId, previousFeedId, reason });
    const outcome = await log.append({ stream: FEED_STREAM, expectedRevision: newest.revision, events });
    if (outcome.kind === 'appended') return { feedId, previousFeedId, position: outcome.position };
  }
}

/** Finds the last events of read models and reactors that the log does not contain. Throws what the log throws. */
export async function findLostHistory(
  { installation, log }: { readonly installation: Pick<InstallationStore, 'lastEvents'>; readonly log: EventLog },
  logId: string,
): Promise<Pick<BegunRenewal, 'usableUpTo' | 'lost' | 'intactUpTo'>> {
  const head = await log.head();
  const lastEvents = await installation.lastEvents(logId);
  const isStored = await Promise.all(lastEvents.map((event) => hasEvent(log, event)));
  const intact = lastEvents.flatMap(({ position }, index) => (isStored[index] ? [position] : [])).toSorted();
  const lostEvents = lastEvents.filter((_, index) => !isStored[index]);
  // An older version stored no last events, so only the head of the log is known.
  const intactUpTo = lastEvents.length === 0 ? head : (intact.at(-1) ?? LOG_START);
  // A checkpoint might be later than its last event and lie in lost history, even if the log has grown past it.
  return { usableUpTo: lostEvents.length === 0 ? head : intactUpTo, lost: lostEvents, intactUpTo };
}
