import type { RecordWriter } from '../../../commands/records/record-writer.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import type { KnownRecords } from '../../domain/ports/known-records.ts';
import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../domain/ports/source-ports.ts';
import { BatchedWriter, type RejectedChange } from './batched-writer.ts';
import { placeOfClient, SyncRefused } from './clients.ts';
import { localDate } from './local-time.ts';
import { recordFailedCheck } from './failed-check.ts';
import type { Skipped } from './rows.ts';
import { SyncRun } from './sync-run.ts';

export interface LegistarSync {
  readonly client: string;
  readonly reader: LegistarReader;
  readonly writer: RecordWriter;
  readonly known: KnownRecords;
  readonly clock: Clock;
  /** Local date `YYYY-MM-DD`: read every event dated on or after it, and no other. */
  readonly since?: string | undefined;
  /** Required for a client outside the shipped table. */
  readonly jurisdictionSlug?: string | undefined;
  readonly progress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SyncReport {
  readonly client: string;
  readonly jurisdictionSlug: string;
  readonly read: { readonly bodies: number; readonly events: number; readonly items: number };
  /** Changes that became events, removes among them; the checks of the `sources` records are counted by themselves. */
  readonly appended: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rejected: readonly RejectedChange[];
  readonly skipped: readonly Skipped[];
  /** `sources` records whose check was recorded. */
  readonly sourcesChecked: number;
  /** Events that are listed but could not be read; nothing of theirs was removed. */
  readonly failedEvents: number;
  /** Why the source could not be read as a whole; null when it could. */
  readonly failure: string | null;
  /** Newest event that this run appended, to wait for; null when it appended none. */
  readonly position: Position | null;
}

/**
 * Pulls one Legistar client into records and says what came of it. Running it again over unchanged data appends nothing but the one check
 * of each source. Throws `SyncRefused` for a request that cannot be done; a source that fails is in the report's `failure`.
 */
export const syncLegistar = async (sync: LegistarSync): Promise<SyncReport> => {
  const place = placeOfClient(sync.client, sync.jurisdictionSlug);
  const since = sync.since === undefined ? null : localDate(sync.since);
  if (sync.since !== undefined && since === null) throw new SyncRefused(`"${sync.since}" is no date; write it as YYYY-MM-DD`);
  const records = new BatchedWriter(sync.writer);
  const checks = new BatchedWriter(sync.writer);
  const run = new SyncRun(sync, place, since, records);
  let failure: string | null = null;
  try {
    await run.readAndWrite();
  } catch (error) {
    if (!(error instanceof SourceUnavailable) && !(error instanceof UnknownSourceClient)) throw error;
    failure = error.message;
  }
  await records.flush();
  await (failure === null ? run.recordChecks(checks) : recordFailedCheck(sync, place, checks));
  await checks.flush();
  const positions = [records.position, checks.position].filter((position) => position !== null);
  return {
    client: sync.client,
    jurisdictionSlug: place.jurisdictionSlug,
    read: run.read,
    appended: records.appended,
    unchanged: records.unchanged,
    removed: records.removed,
    rejected: [...records.rejected, ...checks.rejected],
    skipped: run.skipped,
    sourcesChecked: checks.appended,
    failedEvents: run.failedEvents,
    failure,
    position: positions.length === 0 ? null : positions.reduce((left, right) => (left > right ? left : right)),
  };
};
