import { hash } from 'node:crypto';
import {
  addDigest,
  digestSum,
  digestText,
  nextFingerprint,
  recordDigest,
  subtractDigest,
} from '../../domain/digests.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { isoTimeOf } from '../../domain/iso-time.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';

/** One change of one record, as a row of the history; hashes are hexadecimal digits. */
export interface HistoryRow {
  readonly position: number;
  readonly resource: Resource;
  readonly record_id: string;
  readonly version: number;
  readonly removed: boolean;
  readonly changed_at: number;
  /** Null unless a later change in the same batch supersedes it; a removal supersedes itself. */
  superseded_at: number | null;
  readonly digest: string | null;
  readonly envelope: string;
  readonly body: string | null;
  readonly fingerprint: string;
}

export interface FeedState {
  readonly head: number;
  readonly changedAt: number;
  /**
   * Hash over all changes since the last erasure, in order. Two builds with equal head and chain have the same feed
   * from there on.
   */
  readonly chain: string;
  /** Hash over all changes without their content, which an erasure can change. */
  readonly outline: string;
  /** Fingerprint of the history up to the head, as cursors contain it. */
  readonly fingerprint: string;
}

const formatEnvelope = (
  resource: string,
  recordId: string,
  version: number,
  removed: boolean,
  changedAt: number,
): string =>
  `"resource":"${resource}","operation":"${removed ? 'remove' : 'upsert'}","recordId":"${recordId}","version":"${version}","changedAt":"${isoTimeOf(changedAt)}"${removed ? '' : ',"data":'}`;

/**
 * Returns the rows of a batch: dense positions in log order, times that never decrease, and which row supersedes which.
 * Pure.
 */
export function historyRows(events: readonly StoredEvent[], before: FeedState) {
  const rows: HistoryRow[] = [];
  /** The first change in this batch of each record that might have an earlier current row. */
  const superseding: HistoryRow[] = [];
  const newest = new Map<string, HistoryRow>();
  let { head, changedAt, chain, outline, fingerprint } = before;
  for (const event of events) {
    const { resource, recordId } = recordOfStream(event.stream);
    const removed = event.type !== RECORD_PUBLISHED;
    const position = ++head;
    changedAt = Math.max(changedAt, event.time);
    const body = removed ? null : event.data;
    const digest = body === null ? null : recordDigest(resource, recordId, body);
    const version = event.revision + 1;
    fingerprint = nextFingerprint(fingerprint, event.id);
    const envelope = formatEnvelope(resource, recordId, version, removed, changedAt);
    const times = { changed_at: changedAt, superseded_at: removed ? position : null };
    const row: HistoryRow = {
      position,
      resource,
      record_id: recordId,
      version,
      removed,
      ...times,
      digest,
      envelope,
      body,
      fingerprint,
    };
    outline = hash('sha256', `${outline}\n${position}\n${envelope}`, 'hex');
    chain = hash('sha256', `${chain}\n${position}\n${envelope}\n${digest ?? ''}`, 'hex');
    const previous = newest.get(event.stream);
    if (previous === undefined) {
      if (version > 1) superseding.push(row);
    } else if (!previous.removed) previous.superseded_at = position;
    newest.set(event.stream, row);
    rows.push(row);
  }
  return { rows, superseding, state: { head, changedAt, chain, outline, fingerprint } satisfies FeedState };
}

/** Restarts the chain at an erasure, because its earlier value depends on erased text. */
export const chainAfterErasure = (eventId: string): string => hash('sha256', `erased\n${eventId}`, 'hex');

/** Row of the totals table. */
export type ResourceTotal = Readonly<Record<'resource' | 'digest', string> & { records: number }>;

/** Number and state digest of the current records per resource, updated with each change. */
export class Totals {
  readonly #totals = new Map<string, { records: number; digest: bigint }>();
  readonly #touched = new Set<string>();

  constructor(stored: readonly ResourceTotal[] = []) {
    for (const { resource, records, digest } of stored)
      this.#totals.set(resource, { records, digest: digestSum(digest) });
  }

  add(resource: string, digest: string): void {
    const total = this.#of(resource);
    total.records += 1;
    total.digest = addDigest(total.digest, digest);
  }

  remove(resource: string, digest: string): void {
    const total = this.#of(resource);
    total.records -= 1;
    total.digest = subtractDigest(total.digest, digest);
  }

  /**
   * Adds the rows of a batch that are current at its end. Rows that they superseded in earlier batches are removed
   * separately.
   */
  addCurrent(rows: readonly HistoryRow[]): void {
    for (const row of rows) if (row.superseded_at === null) this.add(row.resource, row.digest!);
  }

  touched(): readonly ResourceTotal[] {
    return [...this.#touched].map((resource) => {
      const { records, digest } = this.#totals.get(resource)!;
      return { resource, records, digest: digestText(digest) };
    });
  }

  #of(resource: string) {
    let total = this.#totals.get(resource);
    if (total === undefined) this.#totals.set(resource, (total = { records: 0, digest: 0n }));
    this.#touched.add(resource);
    return total;
  }
}
