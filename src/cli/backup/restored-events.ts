import { renewalEvents } from '../../../commands/feed/feed-identity.ts';
import { newEvents } from '../../../commands/handle.ts';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { FEED_OPENED, feedOpened } from '../../../domain/events/feed-events.ts';
import { RESTORE_BEGUN, type RestoreBegun } from '../../../domain/events/restore-events.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import type { NewEvent } from '../../../domain/ports/event-log.ts';
import { category, FEED_STREAM, restoreStream } from '../../../domain/streams.ts';
import type { CopiedEvent } from '../log-copy/copy-events.ts';
import type { ArchiveHeader } from './archive-format.ts';

/** What the events that a restore adds depend on. */
export class BackedUp {
  /** The stream of its account by each key that is not revoked. */
  readonly keys = new Map<string, string>();
  /** The last revision of the stream of each account. */
  readonly accounts = new Map<string, number>();
  feed = { revision: -1, feedId: '' };

  see({ stream, revision, type, data }: CopiedEvent): void {
    if (stream === FEED_STREAM) {
      this.feed = { revision, feedId: type === FEED_OPENED ? feedOpened.parse(JSON.parse(data)).feedId : this.feed.feedId };
    }
    if (category(stream) !== 'account') return;
    this.accounts.set(stream, revision);
    if (type !== 'KeyIssued' && type !== 'KeyRevoked') return;
    const { keyId } = JSON.parse(data) as { readonly keyId: string };
    if (type === 'KeyIssued') this.keys.set(keyId, stream);
    else this.keys.delete(keyId);
  }
}

export interface Restoring {
  readonly begun: RestoreBegun;
  /** Milliseconds since the epoch; of all events that the restore adds. */
  readonly time: number;
}

/** The feed id of a restore: the same in each run of one restore. */
export const restoredFeedId = (restoreId: string): string => derivedId('restored feed', restoreId);

/**
 * All events of a restored log but its last one, in order: the event that begins it, the backup, the new identity of the feed, and revoked
 * keys if wanted. They are the same in each run of one restore, so that a run can continue an earlier one.
 */
export async function* restoredEvents(
  { begun, time }: Restoring,
  { header, backedUp }: { readonly header: ArchiveHeader; readonly backedUp: BackedUp },
  archived: AsyncIterable<CopiedEvent>,
): AsyncGenerator<CopiedEvent> {
  const { restoreId } = begun;
  const { feed, keys, accounts } = backedUp;
  const added = (type: string, data: string, ...purpose: readonly string[]): NewEvent =>
    newEvents([{ type, data }], { commandId: derivedId('restore', restoreId, ...purpose), time })[0]!;
  yield asCopied(restoreStream(restoreId), 0, added(RESTORE_BEGUN, canonicalJson(begun)));
  yield* archived;
  const renewal = renewalEvents({
    commandId: derivedId('restore', restoreId, 'feed'),
    time,
    feedId: restoredFeedId(restoreId),
    previousFeedId: feed.feedId,
    reason: `restored from the backup ${header.backupId} of ${header.createdAt}`,
  });
  for (const [nth, event] of renewal.entries()) yield asCopied(FEED_STREAM, feed.revision + 1 + nth, event);
  if (!begun.revokeKeys) return;
  const revisions = new Map(accounts);
  for (const [keyId, stream] of keys) {
    const revision = revisions.get(stream)! + 1;
    revisions.set(stream, revision);
    yield asCopied(stream, revision, added('KeyRevoked', JSON.stringify({ keyId }), 'revoke', keyId));
  }
}

const asCopied = (stream: string, revision: number, { metadata, ...event }: NewEvent): CopiedEvent => ({
  ...event,
  stream,
  revision,
  metadata: JSON.stringify(metadata),
});
