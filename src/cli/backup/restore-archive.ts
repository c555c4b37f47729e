import { newEvents } from '../../../commands/handle.ts';
import { RESTORE_BEGUN, RESTORE_FINISHED, restoreBegun, type RestoreFinished } from '../../../domain/events/restore-events.ts';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { derivedId } from '../../../domain/identifiers.ts';
import { type EventLog, LOG_START, type Position } from '../../../domain/ports/event-log.ts';
import type { Stores } from '../../../domain/ports/stores.ts';
import { SAVED_TABLES, type SavedTable, type WorkingRows } from '../../../domain/ports/working-rows.ts';
import { restoreStream } from '../../../domain/streams.ts';
import { CommandFailed } from '../context.ts';
import { copyEvents } from '../log-copy/copy-events.ts';
import { eventsOf, lineOf } from '../log-copy/log-pages.ts';
import { type ArchiveEnd, BadArchive } from './archive-format.ts';
import { type ArchiveItem, readArchive } from './read-archive.ts';
import { type Restored, restoredEvents, restoredFeedId, type Restoring } from './restored-events.ts';
import type { VerifiedArchive } from './verify-archive.ts';

export interface RestoreRequest {
  readonly stores: Stores;
  readonly archive: VerifiedArchive;
  /** Opens the file from its beginning. */
  readonly read: () => AsyncIterable<Uint8Array>;
  readonly asCopy: boolean;
  readonly revokeKeys: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number, of: number) => void;
}

export interface RestoreOutcome extends Restored {
  readonly restoreId: string;
  readonly feedId: string;
  readonly revokedKeys: boolean;
  readonly asCopy: boolean;
  /** Events of the restored log. */
  readonly events: number;
  /** Events among them that an earlier run had written. */
  readonly found: number;
}

const ROWS_AT_ONCE = 100;

/**
 * Fills an empty log, or one in which a restore of the same file was begun, from a verified archive. Then reads both again, compares them
 * event by event, writes the working rows, and last the event without which the log is not served. Throws `CommandFailed` and `BadArchive`.
 */
export async function restoreArchive(request: RestoreRequest): Promise<RestoreOutcome> {
  const { stores, archive, read, signal, onProgress } = request;
  const restoring = await beginOrGoOn(request);
  const { restoreId } = restoring.begun;
  const { log } = stores;
  const total = archive.end.events * 2;
  const source = restoredEvents(restoring, readArchive(read()), () => undefined);
  const { found } = await copyEvents({ source, target: log, signal, onProgress: (events) => onProgress(events, total) });

  const rows = new RowsToPut(stores.rows, restoring.begun.asCopy);
  let restored: Restored | undefined;
  const wanted = restoredEvents(
    restoring,
    readArchive(read()),
    (item) => rows.take(item, archive.sha256),
    (known) => (restored = known),
  );
  const { events, places } = await compare({
    wanted,
    log,
    signal,
    reactors: archive.end.reactors,
    onProgress: (done) => onProgress(archive.end.events + done, total),
  });
  await rows.flush();
  await stores.rows.finish({ trialClock: archive.header.trialClock, reactors: places, logId: (await log.identity())! });
  await finish(log, restoring);
  const { asCopy, revokeKeys } = restoring.begun;
  return { ...restored!, restoreId, feedId: restoredFeedId(restoreId), revokedKeys: revokeKeys, asCopy, events: events + 1, found };
}

const EMPTY_PLEASE =
  'give an empty database in DATABASE_URL, or a new folder in CIVIC_DATA_DIR, and with EVENTSTORE_URL an empty server as well';

/** A new restore, or the one that was begun here with the same file and the same options. */
async function beginOrGoOn({ stores, archive, asCopy, revokeKeys }: RestoreRequest): Promise<Restoring> {
  const { log, rows, identifiers, clock } = stores;
  const { events } = await log.readAll({ after: LOG_START, limit: 1 });
  const first = events[0];
  if (first === undefined) {
    const occupied = await rows.occupiedBy();
    if (occupied !== null) throw new CommandFailed(`the database holds ${occupied} although the log is empty: ${EMPTY_PLEASE}`);
    const { header, end, sha256 } = archive;
    const begun = { restoreId: identifiers.next(), backupId: header.backupId, sha256, events: end.events, asCopy, revokeKeys };
    return { begun, time: clock.now() };
  }
  if (first.type !== RESTORE_BEGUN) throw new CommandFailed(`the log is not empty, it begins with ${first.type}: ${EMPTY_PLEASE}`);
  const begun = restoreBegun.parse(JSON.parse(first.data));
  const last = (await log.readLast([first.stream])).get(first.stream);
  if (last?.type === RESTORE_FINISHED) {
    const which = begun.sha256 === archive.sha256 ? 'this backup' : `another backup (${begun.backupId})`;
    throw new CommandFailed(`${which} has been restored here already, and the service can be started; to restore again ${EMPTY_PLEASE}`);
  }
  if (begun.sha256 !== archive.sha256) {
    throw new CommandFailed(`a restore of another file was begun here (backup ${begun.backupId}): go on with that one, or ${EMPTY_PLEASE}`);
  }
  if (begun.asCopy !== asCopy || begun.revokeKeys !== revokeKeys) {
    const flags = [begun.asCopy ? '--as-copy' : '', begun.revokeKeys && !begun.asCopy ? '--revoke-keys' : ''].filter((flag) => flag !== '');
    throw new CommandFailed(
      `this restore was begun with ${flags.join(' ') || 'neither --as-copy nor --revoke-keys'}: go on with the same, or ${EMPTY_PLEASE}`,
    );
  }
  return { begun, time: first.time };
}

/** Writes rows page by page; none for a copy, because the original continues their work. */
class RowsToPut {
  readonly #rows: WorkingRows;
  readonly #skips: boolean;
  readonly #waiting: Record<SavedTable, string[]> = { payments: [], wallets: [], inlet: [] };

  constructor(rows: WorkingRows, skips: boolean) {
    this.#rows = rows;
    this.#skips = skips;
  }

  async take(item: ArchiveItem, sha256: string): Promise<void> {
    if (item.kind === 'end' && item.sha256 !== sha256) throw new BadArchive('the file was changed while it was restored; begin again');
    if (item.kind !== 'row' || this.#skips) return;
    const waiting = this.#waiting[item.table];
    waiting.push(item.text);
    if (waiting.length >= ROWS_AT_ONCE) await this.#rows.put(item.table, waiting.splice(0));
  }

  async flush(): Promise<void> {
    for (const table of SAVED_TABLES) await this.#rows.put(table, this.#waiting[table].splice(0));
  }
}

interface Comparing {
  readonly wanted: AsyncIterable<Parameters<typeof lineOf>[0]>;
  readonly log: EventLog;
  readonly signal: AbortSignal;
  readonly reactors: ArchiveEnd['reactors'];
  readonly onProgress: (events: number) => void;
}

/** Compares the written events with the archive, and the checkpoints of the reactors. */
async function compare({ wanted, log, signal, reactors, onProgress }: Comparing) {
  const written = eventsOf(log, signal);
  const checkpoints = new Map<number, Position>([[0, LOG_START]]);
  const asked = new Set(reactors.map(({ after }) => after));
  let events = 0;
  for await (const event of wanted) {
    const { value } = await written.next();
    if (value === undefined || lineOf(value) !== lineOf(event)) {
      throw new CommandFailed(`event ${events + 1} was not stored as it was given (${event.type} of ${event.stream}): ${EMPTY_PLEASE}`);
    }
    // The first event is the restore's own: the n-th after it is the n-th of the backup.
    if (asked.has(events)) checkpoints.set(events, value.position);
    events += 1;
    if (events % 1_000 === 0) onProgress(events);
  }
  const { value: more } = await written.next();
  if (more !== undefined) throw new CommandFailed(`something else has written ${more.type} of ${more.stream} to the log: ${EMPTY_PLEASE}`);
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
