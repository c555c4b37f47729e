import { renewalEvents } from '../../../commands/feed/feed-identity.ts';
import { newEvents } from '../../../commands/handle.ts';
import { FEED_OPENED, feedOpened } from '../../../domain/events/feed-events.ts';
import { RESTORE_BEGUN, type RestoreBegun } from '../../../domain/events/restore-events.ts';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import type { NewEvent } from '../../../domain/ports/event-log.ts';
import { category, FEED_STREAM, restoreStream } from '../../../domain/streams.ts';
import type { CopiedEvent } from '../log-copy/log-pages.ts';
import type { ArchiveHeader } from './archive-format.ts';
import type { ArchiveItem } from './read-archive.ts';

export interface Restoring {
  readonly begun: RestoreBegun;
  /** Milliseconds since the epoch; of all events that the restore adds. */
  readonly time: number;
}

/** The feed id of a restore: the same in each run of one restore. */
export const restoredFeedId = (restoreId: string): string => derivedId('restored feed', restoreId);

const asCopied = (stream: string, revision: number, { metadata, ...event }: NewEvent): CopiedEvent => ({
  ...event,
  stream,
  revision,
  metadata: JSON.stringify(metadata),
});

/** Keys that are not revoked, and the last revision of each account's stream. */
class LivingKeys {
  readonly #keys = new Map<string, string>();
  readonly #revisions = new Map<string, number>();

  see({ stream, revision, type, data }: CopiedEvent): void {
    if (category(stream) !== 'account') return;
    this.#revisions.set(stream, revision);
    if (type !== 'KeyIssued' && type !== 'KeyRevoked') return;
    const { keyId } = JSON.parse(data) as { readonly keyId: string };
    if (type === 'KeyIssued') this.#keys.set(keyId, stream);
    else this.#keys.delete(keyId);
  }

  get size(): number {
    return this.#keys.size;
  }

  *revocations({ begun, time }: Restoring): Generator<CopiedEvent> {
    for (const [keyId, stream] of this.#keys) {
      const commandId = derivedId('restore', begun.restoreId, 'revoke', keyId);
      const revision = this.#revisions.get(stream)! + 1;
      this.#revisions.set(stream, revision);
      const [event] = newEvents([{ type: 'KeyRevoked', data: JSON.stringify({ keyId }) }], { commandId, time });
      yield asCopied(stream, revision, event!);
    }
  }
}

export interface Restored {
  /** Keys that worked when the backup was taken. */
  readonly keys: number;
  readonly previousFeedId: string;
}

/**
 * All events of a restored log but its last one, in order: the event that begins it, the backup, the new identity of the feed, and revoked
 * keys if wanted. They are the same in each run of one restore, so that a run can continue an earlier one.
 */
export async function* restoredEvents(
  restoring: Restoring,
  archive: AsyncIterable<ArchiveItem>,
  onItem: (item: ArchiveItem) => Promise<void> | void,
  onRestored: (restored: Restored) => void = () => undefined,
): AsyncGenerator<CopiedEvent> {
  const { begun, time } = restoring;
  const { restoreId, revokeKeys } = begun;
  const command = { commandId: derivedId('restore', restoreId), time };
  const [first] = newEvents([{ type: RESTORE_BEGUN, data: canonicalJson(begun) }], command);
  yield asCopied(restoreStream(restoreId), 0, first!);
  const keys = new LivingKeys();
  let header: ArchiveHeader | undefined;
  let feed = { revision: -1, feedId: '' };
  for await (const item of archive) {
    await onItem(item);
    if (item.kind === 'header') ({ header } = item);
    if (item.kind !== 'event') continue;
    const { event } = item;
    keys.see(event);
    if (event.stream === FEED_STREAM) {
      const feedId = event.type === FEED_OPENED ? feedOpened.parse(JSON.parse(event.data)).feedId : feed.feedId;
      feed = { revision: event.revision, feedId };
    }
    yield event;
  }
  const { backupId, createdAt } = header!;
  const renewal = renewalEvents({
    commandId: derivedId('restore', restoreId, 'feed'),
    time,
    feedId: restoredFeedId(restoreId),
    previousFeedId: feed.feedId,
    reason: `restored from the backup ${backupId} of ${createdAt}`,
  });
  for (const [nth, event] of renewal.entries()) yield asCopied(FEED_STREAM, feed.revision + 1 + nth, event);
  if (revokeKeys) yield* keys.revocations(restoring);
  onRestored({ keys: keys.size, previousFeedId: feed.feedId });
}
