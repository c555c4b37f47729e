import { renewalEvents } from '../../../commands/feed/feed-identity.ts';
import { newEvents } from '../../../commands/handle.ts';
import { canonicalJson } from '../../../domain/digests.ts';
import {
  RESTORE_BEGUN,
  RESTORE_FINISHED,
  restoreBegun,
  type RestoreBegun,
  type RestoreFinished,
} from '../../../domain/events/feed-events.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { type EventLog, LOG_START, type NewEvent, type Position } from '../../../domain/ports/event-log.ts';
import { SAVED_TABLES, type SavedTable, type Stores, type WorkingRows } from '../../../domain/ports/stores.ts';
import { FEED_STREAM, restoreStream } from '../../../domain/streams.ts';
import { BadArchive } from './archive-format.ts';
import { readArchive } from './read-archive.ts';
import type { VerifiedArchive } from './verify-archive.ts';
import { CommandFailed } from '../context.ts';
import { comparedEvents, type CopiedEvent, copyEvents, type Watched } from '../log-copy/copy-events.ts';

interface RestoreRequest {
  readonly stores: Stores;
  readonly archive: VerifiedArchive;
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly asCopy: boolean;
  readonly revokeKeys: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number, of: number) => void;
}

const OF_DOCUMENTS: ReadonlySet<SavedTable> = new Set(['texts', 'addresses']);
const ROWS_AT_ONCE = 100;
const CHARACTERS_AT_ONCE = 4_000_000;

export type RestoreOutcome = Awaited<ReturnType<typeof restoreArchive>>;
/**
 * Fills an empty log or continues an earlier run, compares the log with the archive, and finally appends the event that allows the service to
 * start. Throws `CommandFailed` if another process is filling the database, and `BadArchive`.
 */
export async function restoreArchive(request: RestoreRequest) {
  const outcome = await request.stores.fillLock.tryRun(() => restoreAlone(request));
  if (outcome !== null) return outcome;
  throw new CommandFailed(
    `another process fills this database, a restore or the first start of a service: wait until it has ended, or ${EMPTY_PLEASE}`,
  );
}

async function restoreAlone(request: RestoreRequest) {
  const { stores, archive, signal, onProgress } = request;
  const { log, rows } = stores;
  const { end, header, backedUp } = archive;
  const restoring = await beginOrContinue(request);
  const { restoreId, asCopy, revokeKeys } = restoring.begun;
  const watched = (before: number): Watched => ({
    signal,
    onProgress: (events) => onProgress(before + events, end.events * 2),
  });
  const unsaved = archivedEvents(request, async () => undefined);
  const { present } = await copyEvents(restoredEvents(restoring, archive, unsaved), log, watched(0));
  const batches = createRowBatches(rows, { asCopy });
  const archived = archivedEvents(request, (table, text) => batches.add(table, text));
  const { events, places } = await compare(request, restoredEvents(restoring, archive, archived), watched(end.events));
  await batches.flush();
  await rows.finish({ trialClock: header.trialClock, reactors: places, logId: (await log.identity())! });
  await finish(log, restoring);
  return {
    /** Keys that worked when the backup was taken. */
    keys: backedUp.keys.size,
    previousFeedId: backedUp.feed.feedId,
    restoreId,
    feedId: restoredFeedId(restoreId),
    revokedKeys: revokeKeys,
    asCopy,
    events: events + 1,
    /** Number of these events that an earlier run had written. */
    found: present,
  };
}

/**
 * Collects rows of a backup, and writes those of earlier tables first: an address needs the text of its version. A trial
 * copy of an installation gets the rows of documents only, because the original continues the work of the others.
 */
export function createRowBatches(rows: Pick<WorkingRows, 'put'>, { asCopy }: { readonly asCopy: boolean }) {
  const waiting = Object.fromEntries(SAVED_TABLES.map((table) => [table, [] as string[]])) as Record<
    SavedTable,
    string[]
  >;
  let characters = 0;
  async function flush(): Promise<void> {
    characters = 0;
    for (const table of SAVED_TABLES) await rows.put(table, waiting[table].splice(0));
  }
  return {
    async add(table: SavedTable, text: string): Promise<void> {
      if (asCopy && !OF_DOCUMENTS.has(table)) return;
      waiting[table].push(text);
      characters += text.length;
      if (waiting[table].length >= ROWS_AT_ONCE || characters >= CHARACTERS_AT_ONCE) await flush();
    },
    flush,
  };
}

interface Restoring {
  readonly begun: RestoreBegun;
  /** Time of all events that the restore adds, in milliseconds since the epoch. */
  readonly time: number;
}

const EMPTY_PLEASE =
  'give an empty database in DATABASE_URL, or a new folder in CIVIC_DATA_DIR, and with EVENTSTORE_URL an empty server as well';

/**
 * Returns a new restore, or the earlier one with the same file and options, which continues. Writes nothing. Throws `CommandFailed` if the log
 * or the database is not empty, or if the earlier restore differs.
 */
export async function beginOrContinue({
  stores,
  archive,
  asCopy,
  revokeKeys,
}: Pick<RestoreRequest, 'stores' | 'archive' | 'asCopy' | 'revokeKeys'>): Promise<Restoring> {
  const { log, rows, identifiers, clock } = stores;
  const [first] = (await log.readAll({ after: LOG_START, limit: 1 })).events;
  if (first === undefined) {
    const occupied = await rows.occupiedBy();
    if (occupied !== null)
      throw new CommandFailed(`the database contains ${occupied} although the log is empty: ${EMPTY_PLEASE}`);
    const { header, end, sha256 } = archive;
    const start = {
      restoreId: identifiers.next(),
      backupId: header.backupId,
      sha256,
      events: end.events,
      asCopy,
      revokeKeys,
    };
    return { begun: start, time: clock.now() };
  }
  if (first.type !== RESTORE_BEGUN)
    throw new CommandFailed(`the log is not empty, it begins with ${first.type}: ${EMPTY_PLEASE}`);
  const start = restoreBegun.parse(JSON.parse(first.data));
  const last = (await log.readLast([first.stream])).get(first.stream);
  if (last?.type === RESTORE_FINISHED) {
    const source = start.sha256 === archive.sha256 ? 'this backup' : `another backup (${start.backupId})`;
    throw new CommandFailed(
      `${source} has been restored here already, and the service can be started; to restore again ${EMPTY_PLEASE}`,
    );
  }
  requireSame(start, { sha256: archive.sha256, asCopy, revokeKeys });
  return { begun: start, time: first.time };
}

/** Throws `CommandFailed` if the restore was begun with another file or other flags. */
function requireSame(
  begun: RestoreBegun,
  { sha256, asCopy, revokeKeys }: Pick<RestoreBegun, 'sha256' | 'asCopy' | 'revokeKeys'>,
): void {
  if (begun.sha256 !== sha256) {
    throw new CommandFailed(
      `a restore of another file was begun here (backup ${begun.backupId}): continue with that file, or ${EMPTY_PLEASE}`,
    );
  }
  if (begun.asCopy === asCopy && begun.revokeKeys === revokeKeys) return;
  const flags = begun.asCopy ? '--as-copy' : begun.revokeKeys ? '--revoke-keys' : 'neither --as-copy nor --revoke-keys';
  throw new CommandFailed(`this restore was begun with ${flags}: use the same flags, or ${EMPTY_PLEASE}`);
}

async function* archivedEvents(
  { read, archive }: RestoreRequest,
  onRow: (table: SavedTable, text: string) => Promise<void>,
): AsyncGenerator<CopiedEvent> {
  for await (const item of readArchive(read())) {
    if (item.kind === 'row') await onRow(item.table, item.text);
    if (item.kind === 'event') yield item.event;
    if (item.kind === 'end' && item.sha256 !== archive.sha256) {
      throw new BadArchive('the file was changed while it was restored; begin again');
    }
  }
}

const restoredFeedId = (restoreId: string): string => derivedId('restored feed', restoreId);

/** Yields all events of a restored log except the last. They are the same in each run, so that a run can continue an earlier one. */
async function* restoredEvents(
  { begun, time }: Restoring,
  { header, backedUp }: VerifiedArchive,
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

/** Compares the log with the archive and finds the checkpoints of the reactors. */
async function compare({ stores, archive }: RestoreRequest, expected: AsyncIterable<CopiedEvent>, watched: Watched) {
  const { reactors } = archive.end;
  const checkpoints = new Map<number, Position>([[0, LOG_START]]);
  const eventCounts = new Set(reactors.map(({ after }) => after));
  let events = 0;
  for await (const { stored } of comparedEvents(expected, stores.log, watched, EMPTY_PLEASE)) {
    // Event 0 belongs to the restore itself, so event n is the n-th of the backup.
    if (eventCounts.has(events)) checkpoints.set(events, stored.position);
    events += 1;
  }
  return { events, places: reactors.map(({ name, after }) => ({ name, checkpoint: checkpoints.get(after)! })) };
}

async function finish(log: EventLog, { begun, time }: Restoring): Promise<void> {
  const { restoreId } = begun;
  const data: RestoreFinished = { restoreId, feedId: restoredFeedId(restoreId) };
  const command = { commandId: derivedId('restore', restoreId, 'finish'), time };
  const events = newEvents([{ type: RESTORE_FINISHED, data: canonicalJson(data) }], command);
  const outcome = await log.append({ stream: restoreStream(restoreId), expectedRevision: 0, events });
  if (outcome.kind === 'conflict') throw new CommandFailed(`another process has ended this restore: ${EMPTY_PLEASE}`);
}
