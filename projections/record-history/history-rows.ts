import { hash } from 'node:crypto';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { nextFingerprint, recordDigest } from '../../domain/digests.ts';
import type { StoredEvent } from '../../domain/ports/event-log.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { recordOfStream } from '../../domain/streams.ts';

/** One change of one record, as a row of the history. */
export interface HistoryRow {
  readonly position: number;
  readonly resource: Resource;
  readonly recordId: string;
  readonly version: number;
  readonly removed: boolean;
  readonly changedAt: number;
  /** Set when the same batch supersedes it; a remove supersedes itself. */
  supersededAt: number | null;
  readonly digest: string | null;
  readonly envelope: string;
  readonly body: string | null;
  readonly fingerprint: string;
}

/** What the fold carries from batch to batch. */
export interface FeedState {
  readonly head: number;
  readonly changedAt: number;
  /** A hash over every change since the last erasure, in order: two builds with equal head and chain hold the same feed from there on. */
  readonly chain: string;
  /** A hash over all changes without their content, which an erasure may change. */
  readonly outline: string;
  /** Of the history up to the head, as cursors carry it (`feed-fingerprint.ts`). */
  readonly fingerprint: string;
}

export interface HistoryBatch {
  readonly rows: readonly HistoryRow[];
  readonly state: FeedState;
  /** The first change in this batch of each record that may have a current row from before. */
  readonly superseding: readonly HistoryRow[];
}

const envelopeOf = (resource: string, recordId: string, version: number, removed: boolean, changedAt: number): string =>
  `"resource":"${resource}","operation":"${removed ? 'remove' : 'upsert'}","recordId":"${recordId}","version":"${version}","changedAt":"${new Date(changedAt).toISOString()}"${removed ? '' : ',"data":'}`;

/**
 * Numbers the record changes of a batch: dense positions in log order, a time that never falls, and which row supersedes which. Pure:
 * the same events after the same state give the same rows.
 */
export function historyRows(events: readonly StoredEvent[], before: FeedState): HistoryBatch {
  const rows: HistoryRow[] = [];
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
    const envelope = envelopeOf(resource, recordId, version, removed, changedAt);
    const row: HistoryRow = {
      position,
      resource,
      recordId,
      version,
      removed,
      changedAt,
      supersededAt: removed ? position : null,
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
    } else if (!previous.removed) previous.supersededAt = position;
    newest.set(event.stream, row);
    rows.push(row);
  }
  return { rows, superseding, state: { head, changedAt, chain, outline, fingerprint } };
}

/** The chain restarts at an erasure: its earlier value depends on erased text. */
export const chainAfterErasure = (eventId: string): string => hash('sha256', `erased\n${eventId}`, 'hex');
