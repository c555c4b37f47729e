import type { z } from 'zod';
import type { StoredEvent } from '../ports/event-log.ts';
import { isResource } from '../records/resources.ts';
import { category, streamId } from '../streams.ts';
import { readAccountEvent, readSubscriptionEvent } from './account-events.ts';
import { CONTENT_ERASED, contentErased } from './erasure-events.ts';
import { eventReader } from './event-reader.ts';
import * as feed from './feed-events.ts';
import { RECORD_PUBLISHED, RECORD_WITHDRAWN, recordWithdrawn } from './record-events.ts';
import { readSourceListEvent } from './source-events.ts';
import { readAccountReportEvent, readReportEvent, REPORT_SWITCH_TURNED, reportSwitchTurned } from './report-events.ts';

type Reader = (stored: Pick<StoredEvent, 'type' | 'data'>) => unknown;

const bySchema = (schemas: Readonly<Record<string, z.ZodType>>): Reader =>
  eventReader(schemas, 'event that this version knows');

const READERS: Readonly<Record<string, Reader>> = {
  account: readAccountEvent,
  account_feeds: readSubscriptionEvent,
  account_reports: readAccountReportEvent,
  report: readReportEvent,
  reports_control: bySchema({ [REPORT_SWITCH_TURNED]: reportSwitchTurned }),
  snapshot: bySchema({ [feed.SNAPSHOT_TAKEN]: feed.snapshotTaken }),
  seed: bySchema({ [feed.SEED_FINISHED]: feed.seedFinished }),
  projection: bySchema({ [feed.PROJECTION_EVENT_SKIPPED]: feed.projectionEventSkipped }),
  erasures: bySchema({ [CONTENT_ERASED]: contentErased }),
  feed: bySchema({ [feed.FEED_OPENED]: feed.feedOpened, [feed.FEED_RENEWED]: feed.feedRenewed }),
  source_list: readSourceListEvent,
  restore: bySchema({ [feed.RESTORE_BEGUN]: feed.restoreBegun, [feed.RESTORE_FINISHED]: feed.restoreFinished }),
};

/** Published records are not validated against the current schema: they stay as published. */
function readRecordEvent({ type, data, stream }: Pick<StoredEvent, 'type' | 'data' | 'stream'>): void {
  const parsed: unknown = JSON.parse(data);
  if (type === RECORD_WITHDRAWN) return void recordWithdrawn.parse(parsed);
  if (type !== RECORD_PUBLISHED) throw new Error(`${type} is no event of a civic record`);
  const { id, createdAt, updatedAt } = parsed as Readonly<Record<string, unknown>>;
  if (id !== streamId(stream)) throw new Error(`the record's id is ${String(id)}`);
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string')
    throw new Error('the record does not say when it was made');
}

/** Throws, with the reason, if this version of the program cannot read the event. */
export function requireReadable(stored: Pick<StoredEvent, 'type' | 'data' | 'stream'>): void {
  const kind = category(stored.stream);
  if (isResource(kind)) return readRecordEvent(stored);
  const reader = Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
  if (reader === undefined) throw new Error(`${kind} is no category of streams that this version knows`);
  reader(stored);
}
