import { hash } from 'node:crypto';
import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import { type EventLog, LOG_START } from '../../domain/ports/event-log.ts';
import { RESOURCES } from '../../domain/records/resources.ts';
import { addDigest, digestText, recordDigest } from '../../domain/digests.ts';

/** One change of the expected feed. Positions are dense from 1: the n-th of the list is position n. */
export interface ExpectedChange {
  readonly position: number;
  readonly resource: string;
  readonly recordId: string;
  readonly removed: boolean;
  readonly changedAt: number;
  /** The item without its cursor, as JSON text. */
  readonly text: string;
  readonly data: string | null;
  /** Sixteen hexadecimal digits: of the event's id and of the fingerprint before it. */
  readonly fingerprint: string;
}

/** The expected feed of a log, made without code of the projector. */
export async function expectedFeed(log: EventLog): Promise<readonly ExpectedChange[]> {
  const changes: ExpectedChange[] = [];
  let changedAt = 0;
  let fingerprint = '0000000000000000';
  for (let after = LOG_START; ; ) {
    const { events, scannedTo } = await log.readAll({ after, limit: 1000 });
    if (scannedTo === after) return changes;
    after = scannedTo;
    for (const { id, stream, type, revision, data, time } of events) {
      if (!(RECORD_EVENT_TYPES as readonly string[]).includes(type)) continue;
      const [resource, recordId] = [stream.slice(0, stream.indexOf('-')), stream.slice(stream.indexOf('-') + 1)];
      const removed = type !== RECORD_PUBLISHED;
      changedAt = Math.max(changedAt, time);
      fingerprint = hash('sha256', Buffer.from(fingerprint + id.replaceAll('-', ''), 'hex'), 'hex').slice(0, 16);
      const item = {
        resource,
        operation: removed ? 'remove' : 'upsert',
        recordId,
        version: String(revision + 1),
        changedAt: new Date(changedAt).toISOString(),
      };
      const text = JSON.stringify(removed ? item : { ...item, data: JSON.parse(data) as unknown });
      changes.push({
        position: changes.length + 1,
        resource,
        recordId,
        removed,
        changedAt,
        text,
        data: removed ? null : data,
        fingerprint,
      });
    }
  }
}

/** Records by `<resource> <id>` after a position, as JSON text of their data. */
export function stateAt(expected: readonly ExpectedChange[], position: number): Map<string, string> {
  const state = new Map<string, string>();
  for (const { resource, recordId, removed, data } of expected.slice(0, position)) {
    if (removed) state.delete(`${resource} ${recordId}`);
    else state.set(`${resource} ${recordId}`, data!);
  }
  return state;
}

/** Numbers and state digests of a reader's own copy, per resource. */
export function totalsOf(state: ReadonlyMap<string, string>) {
  const counts: Record<string, number> = Object.fromEntries(RESOURCES.map((resource) => [resource, 0]));
  const sums: Record<string, bigint> = Object.fromEntries(RESOURCES.map((resource) => [resource, 0n]));
  for (const [key, data] of state) {
    const [resource, id] = key.split(' ') as [string, string];
    counts[resource] = counts[resource]! + 1;
    sums[resource] = addDigest(sums[resource]!, recordDigest(resource, id, data));
  }
  return {
    counts,
    digests: Object.fromEntries(Object.entries(sums).map(([resource, sum]) => [resource, digestText(sum)])),
  };
}
