import type { Clock } from '../../../domain/ports/clock.ts';
import type { PublishedRecords } from '../../../domain/ports/published-records.ts';
import { type LegistarReader, SourceUnavailable, UnknownSourceClient } from '../../../domain/ports/source-ports.ts';
import { BatchedWriter } from '../batched-writer.ts';
import { SyncRefused, type SyncReport, type SyncTarget } from '../source.ts';
import { type ClientPlace, placeOfClient } from './clients.ts';
import { localDate } from './local-time.ts';
import { SyncRun } from './sync-run.ts';
import { legistarSourceId } from './legistar-ids.ts';
import { sourceCheckChange } from './source-checks.ts';

/** Records the failed check on the published sources of the client, because the list of bodies is missing. */
async function recordFailedCheck(
  sync: { readonly client: string; readonly known: PublishedRecords; readonly clock: Clock },
  place: ClientPlace,
  writer: BatchedWriter,
): Promise<void> {
  const ids = await sync.known.referring('sources', 'jurisdictionId', [place.jurisdictionId]);
  const sources = await sync.known.current('sources', ids);
  const adopted = new Map(place.adopted.map((body) => [body.sourceId, body.publicBodyId]));
  for (const [sourceId, current] of sources) {
    const publicBodyId = adopted.get(sourceId) ?? current.publicBodyId;
    if (publicBodyId === null) continue;
    if (!adopted.has(sourceId) && sourceId !== legistarSourceId(sync.client, publicBodyId)) continue;
    const at = new Date(sync.clock.now()).toISOString();
    await writer.add([
      sourceCheckChange({ sourceId, publicBodyId, jurisdictionId: place.jurisdictionId, current, siteUrl: null, succeeded: false, at }),
    ]);
  }
}

export interface LegistarSync extends SyncTarget {
  readonly client: string;
  readonly reader: LegistarReader;
  /** Local date `YYYY-MM-DD`: read every event dated on or after it, and no other. */
  readonly since?: string | undefined;
  /** Required for a client outside the shipped table. */
  readonly jurisdictionSlug?: string | undefined;
  readonly progress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface LegistarReport extends SyncReport {
  readonly jurisdictionSlug: string;
  readonly read: { readonly bodies: number; readonly events: number; readonly items: number };
  /** `sources` records whose check was recorded; `appended` does not count them. */
  readonly sourcesChecked: number;
  /** Events that are listed but could not be read; none of their records was removed. */
  readonly failedEvents: number;
}

/**
 * Writes the records of one Legistar client. A second run over unchanged data appends only the check of each source. Throws `SyncRefused`
 * for a request that cannot be carried out; a source that fails is in the report's `failure`.
 */
export async function syncLegistar(sync: LegistarSync): Promise<LegistarReport> {
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
}
