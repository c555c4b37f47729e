import type { FeedCursor } from '../../domain/cursor.ts';
import type { Resource } from '../../domain/records/resources.ts';
import type { ExpectedChange } from './history-checker.ts';

/** All values that the answers of the feed depend on. */
export interface FeedWorld {
  readonly feedId: string;
  /** Position n is at index n - 1. */
  readonly changes: readonly ExpectedChange[];
  readonly mark: number;
  readonly now: number;
  readonly retentionMs: number;
}

/** The query: a cursor in parts, an invalid text, or no cursor. */
export interface FeedQuestion {
  readonly cursor: FeedCursor | 'damaged' | 'other kind' | null;
  readonly resource: Resource | null;
  readonly limit: number;
}

export type FeedAnswer =
  | { readonly refused: 'invalid_parameter' | 'cursor_expired' }
  | {
      readonly items: readonly string[];
      readonly next: number;
      readonly hasMore: boolean;
      readonly replayExpiresAt: number;
      readonly historyPruned: boolean;
    };

/** The newest position whose change is older than the retention, the mark where there is none. */
export const floorOf = ({ changes, mark, now, retentionMs }: FeedWorld): number =>
  Math.max(mark, changes.findLastIndex(({ changedAt }) => changedAt < now - retentionMs) + 1);

/** Digests of the history up to a position. */
export const fingerprintAt = (changes: FeedWorld['changes'], position: number): string =>
  changes[position - 1]?.fingerprint ?? '0'.repeat(16);

/** The expected answer to a query, computed over plain arrays. */
export function answerOf(world: FeedWorld, { cursor, resource, limit }: FeedQuestion): FeedAnswer {
  const { changes, now, retentionMs, mark } = world;
  if (typeof cursor === 'string') return { refused: 'invalid_parameter' };
  if (cursor !== null) {
    if (cursor.binding !== 'nothing' && cursor.binding !== (resource ?? 'all')) return { refused: 'invalid_parameter' };
    const { position } = cursor;
    if (cursor.feedId !== world.feedId || position > changes.length || position < mark)
      return { refused: 'cursor_expired' };
    if (cursor.fingerprint !== null && cursor.fingerprint !== fingerprintAt(changes, position))
      return { refused: 'cursor_expired' };
    const next = changes[position];
    if (next !== undefined && next.changedAt < now - retentionMs) return { refused: 'cursor_expired' };
  }
  const start = cursor === null ? floorOf(world) : cursor.position;
  const matching = changes.slice(start).filter((change) => resource === null || change.resource === resource);
  const page = matching.slice(0, limit);
  const hasMore = matching.length > limit;
  const next = hasMore ? page.at(-1)!.position : changes.length;
  const replayExpiresAt = (changes[next]?.changedAt ?? now) + retentionMs;
  const historyPruned = cursor === null && floorOf(world) > 0;
  return {
    items: page.map(({ position, text }) => `${position} ${text}`),
    next,
    hasMore,
    replayExpiresAt,
    historyPruned,
  };
}
