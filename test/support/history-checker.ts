import { expect } from 'vitest';
import { decodeFeedCursor } from '../../domain/cursor.ts';
import type { ExpectedChange } from './expected-feed.ts';

export { type ExpectedChange, expectedFeed, stateAt, totalsOf } from './expected-feed.ts';

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
  readonly historyPruned: boolean;
}

export function positionOf(cursor: string): number {
  const decoded = decodeFeedCursor(cursor);
  if (typeof decoded === 'string') throw new Error(`a cursor that was given out is ${decoded}`);
  return decoded.position;
}

/** A page of the feed as its reader sees it. */
export function readPage(text: string): ReadPage {
  const { data, meta } = JSON.parse(text) as {
    readonly data: { readonly items: readonly ({ readonly cursor: string } & Record<string, unknown>)[] };
    readonly meta: {
      readonly nextCursor: string;
      readonly hasMore: boolean;
      readonly replayExpiresAt: string;
      readonly historyPruned?: boolean;
    };
  };
  return {
    items: data.items.map(({ cursor, ...item }) => ({ position: positionOf(cursor), text: JSON.stringify(item) })),
    next: positionOf(meta.nextCursor),
    nextCursor: meta.nextCursor,
    hasMore: meta.hasMore,
    replayExpiresAt: Date.parse(meta.replayExpiresAt),
    historyPruned: meta.historyPruned ?? false,
  };
}

/** Compares the items of a reader over (from, to] with the log: nothing lost, repeated, reordered or changed. */
export function checkReading(
  expected: readonly ExpectedChange[],
  read: readonly ReadItem[],
  span: { readonly from: number; readonly to: number; readonly resource: string | null },
): void {
  const expectedItems = expected
    .slice(span.from, span.to)
    .filter(({ resource }) => span.resource === null || resource === span.resource);
  const positions = read.map(({ position }) => position);
  const wantedPositions = expectedItems.map(({ position }) => position);
  expect(positions.join(' ')).toBe(wantedPositions.join(' '));
  for (const [index, { text }] of read.entries())
    if (text !== expectedItems[index]!.text) expect(text).toBe(expectedItems[index]!.text);
}

/** A state as sorted lines, to compare with another. */
export const linesOf = (state: Iterable<readonly [string, string]>): string[] =>
  Array.from(state, ([key, data]) => `${key} ${data}`).toSorted();
