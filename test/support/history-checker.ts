import { expect } from 'vitest';
import { RECORD_EVENT_TYPES, RECORD_PUBLISHED } from '../../src/domain/events/record-events.ts';
import { decodeFeedCursor } from '../../src/domain/cursor.ts';
import { type EventLog, LOG_START } from '../../src/domain/ports/event-log.ts';
import { RESOURCES } from '../../src/domain/records/resources.ts';
import { addDigest, digestText, recordDigest } from '../../src/domain/state-digest.ts';

/** One change as the log says that the feed must show it. Positions are dense from 1: the n-th of the list is position n. */
export interface ExpectedChange {
  readonly position: number;
  readonly resource: string;
  readonly recordId: string;
  readonly removed: boolean;
  readonly changedAt: number;
  /** The item without its cursor, as JSON text. */
  readonly text: string;
  readonly data: string | null;
}

/** The feed that the log stands for, made without any code of the projector. */
export const expectedFeed = async (log: EventLog): Promise<readonly ExpectedChange[]> => {
  const changes: ExpectedChange[] = [];
  let changedAt = 0;
  for (let after = LOG_START; ; ) {
    const { events, scannedTo } = await log.readAll({ after, limit: 1000 });
    if (scannedTo === after) return changes;
    after = scannedTo;
    for (const { stream, type, revision, data, time } of events) {
      if (!(RECORD_EVENT_TYPES as readonly string[]).includes(type)) continue;
      const [resource, recordId] = [stream.slice(0, stream.indexOf('-')), stream.slice(stream.indexOf('-') + 1)];
      const removed = type !== RECORD_PUBLISHED;
      changedAt = Math.max(changedAt, time);
      const item = {
        resource,
        operation: removed ? 'remove' : 'upsert',
        recordId,
        version: String(revision + 1),
        changedAt: new Date(changedAt).toISOString(),
      };
      const text = JSON.stringify(removed ? item : { ...item, data: JSON.parse(data) as unknown });
      changes.push({ position: changes.length + 1, resource, recordId, removed, changedAt, text, data: removed ? null : data });
    }
  }
};

export interface ReadItem {
  readonly position: number;
  /** The item without its cursor, as JSON text. */
  readonly text: string;
}

export interface ReadPage {
  readonly items: readonly ReadItem[];
  readonly next: number;
  readonly nextCursor: string;
  readonly hasMore: boolean;
  readonly replayExpiresAt: number;
}

export const positionOf = (cursor: string): number => {
  const decoded = decodeFeedCursor(cursor);
  if (typeof decoded === 'string') throw new Error(`a cursor that was given out is ${decoded}`);
  return decoded.position;
};

/** A page of the feed as its reader sees it. */
export const readPage = (text: string): ReadPage => {
  const { data, meta } = JSON.parse(text) as {
    readonly data: { readonly items: readonly ({ readonly cursor: string } & Record<string, unknown>)[] };
    readonly meta: { readonly nextCursor: string; readonly hasMore: boolean; readonly replayExpiresAt: string };
  };
  return {
    items: data.items.map(({ cursor, ...item }) => ({ position: positionOf(cursor), text: JSON.stringify(item) })),
    next: positionOf(meta.nextCursor),
    nextCursor: meta.nextCursor,
    hasMore: meta.hasMore,
    replayExpiresAt: Date.parse(meta.replayExpiresAt),
  };
};

/** What a reader was given over (from, to], against what the log says: nothing lost, skipped, repeated, out of order, or other than written. */
export const checkReading = (
  expected: readonly ExpectedChange[],
  read: readonly ReadItem[],
  span: { readonly from: number; readonly to: number; readonly resource: string | null },
): void => {
  const wanted = expected.slice(span.from, span.to).filter(({ resource }) => span.resource === null || resource === span.resource);
  const positions = read.map(({ position }) => position);
  const wantedPositions = wanted.map(({ position }) => position);
  expect(positions.join(' ')).toBe(wantedPositions.join(' '));
  for (const [index, { text }] of read.entries()) if (text !== wanted[index]!.text) expect(text).toBe(wanted[index]!.text);
};

/** Records by `<resource> <id>` as they stand right after a position, as JSON text of their data. */
export const stateAt = (expected: readonly ExpectedChange[], position: number): Map<string, string> => {
  const state = new Map<string, string>();
  for (const { resource, recordId, removed, data } of expected.slice(0, position)) {
    if (removed) state.delete(`${resource} ${recordId}`);
    else state.set(`${resource} ${recordId}`, data!);
  }
  return state;
};

/** A state as sorted lines, to compare with another. */
export const linesOf = (state: Iterable<readonly [string, string]>): string[] =>
  Array.from(state, ([key, data]) => `${key} ${data}`).toSorted();

/** Numbers and state digests of a reader's own copy, per resource. */
export const totalsOf = (state: ReadonlyMap<string, string>) => {
  const counts: Record<string, number> = Object.fromEntries(RESOURCES.map((resource) => [resource, 0]));
  const sums: Record<string, bigint> = Object.fromEntries(RESOURCES.map((resource) => [resource, 0n]));
  for (const [key, data] of state) {
    const [resource, id] = key.split(' ') as [string, string];
    counts[resource] = counts[resource]! + 1;
    sums[resource] = addDigest(sums[resource]!, recordDigest(resource, id, data));
  }
  return { counts, digests: Object.fromEntries(Object.entries(sums).map(([resource, sum]) => [resource, digestText(sum)])) };
};
