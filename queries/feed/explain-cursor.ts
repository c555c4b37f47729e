import { decodeCoverageCursor, MAX_COVERAGE_CURSOR_LENGTH } from '../../domain/coverage.ts';
import {
  cursorKind,
  type CursorKind,
  decodeFeedCursor,
  decodeSnapshotPageCursor,
  decodeUpcomingCursor,
  type FeedBinding,
} from '../../domain/cursor.ts';
import type { QueryContext } from '../../domain/ports/projection.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { readHighWaterMark } from './feed-head.ts';
import { type FeedPageRow, feedPageStatement, toFeedPage } from './feed-page.ts';
import { isOtherHistory } from './read-civic-changes.ts';

interface ExplainCursorDependencies extends QueryContext {
  /** Replay retention, in milliseconds. */
  readonly retentionMs: number;
}

/** Parts of a cursor, and what a read with it would return now. `verdict` is a sentence for people. */
interface ExplainedCursor {
  readonly kind: CursorKind | 'none';
  readonly verdict: string;
  readonly [fact: string]: string | number | boolean | null;
}

type Explain = (
  text: string,
  deps: ExplainCursorDependencies,
) => ExplainedCursor | null | Promise<ExplainedCursor | null>;

/** Functions that explain each kind of cursor. They return null for text that is not a cursor of that kind. */
const EXPLAIN: Readonly<Record<CursorKind, Explain>> = {
  feed: explainFeed,
  snapshotPage: async (text, { reads }) => {
    const cursor = decodeSnapshotPageCursor(text);
    if (typeof cursor === 'string') return null;
    const { feedId, snapshotId, resource, position } = cursor;
    const { feedId: served } = await readHighWaterMark(reads);
    const verdict =
      feedId === served
        ? `a page of the snapshot's ${resource}, after feed position ${position}`
        : `a page of a snapshot of another feed than the one served now, ${served ?? 'which is not open yet'} ` +
          '(410 cursor_expired): take a new snapshot';
    return { kind: 'snapshotPage', feedId, snapshotId, resource, position, verdict };
  },
  upcoming: (text) => {
    const cursor = decodeUpcomingCursor(text);
    if (typeof cursor === 'string') return null;
    const startsAt = new Date(cursor.startsAt).toISOString();
    const verdict = `a page of the upcoming hits after a meeting at ${startsAt}; bound to no topic`;
    return { kind: 'upcoming', startsAt, hitId: cursor.hitId, verdict };
  },
  coverage: (text) => {
    const cursor = decodeCoverageCursor(text);
    if (typeof cursor === 'string') return null;
    const { catalogVersion, offset, binding } = cursor;
    const verdict = `a page of the coverage catalogue ${catalogVersion} after ${offset} jurisdictions`;
    return { kind: 'coverage', catalogVersion, offset, ...binding, verdict };
  },
  search: () => ({
    kind: 'search',
    verdict: 'a page of a search; it is bound to the words and filters of that search',
  }),
};

const NONE =
  'no cursor of this service: cut off, changed on the way, or made by something else (400 invalid_parameter)';

/**
 * Explains a cursor of any kind for support. Never rejects one, because the question might be about an invalid cursor.
 */
export async function explainCursor(deps: ExplainCursorDependencies, text: string): Promise<ExplainedCursor> {
  const kind = cursorKind(text, MAX_COVERAGE_CURSOR_LENGTH);
  const explained = kind === undefined ? null : await EXPLAIN[kind](text, deps);
  return explained ?? { kind: 'none', verdict: NONE };
}

const BOUND: Readonly<Record<'nothing' | 'all', string>> = { nothing: 'any filter', all: 'an unfiltered read' };
const boundTo = (binding: FeedBinding): string =>
  binding === 'nothing' || binding === 'all' ? BOUND[binding] : `resource=${binding}`;

async function explainFeed(
  text: string,
  { reads, clock, retentionMs }: ExplainCursorDependencies,
): Promise<ExplainedCursor> {
  const cursor = decodeFeedCursor(text);
  if (typeof cursor === 'string')
    return { kind: 'none', verdict: 'a feed cursor that is damaged (400 invalid_parameter)' };
  const now = clock.now();
  const cutoff = now - retentionMs;
  const { feedId, position } = cursor;
  const question = { after: position, resource: null, limit: 1, maxBytes: 0, cutoff };
  const page = toFeedPage(
    await reads.rows<FeedPageRow>((generation) => feedPageStatement(generation(RECORD_HISTORY.name), question)),
  );
  const { head } = page;
  const behind = Math.max(0, head - position);
  const facts = { kind: 'feed' as const, feedId, position, readWith: boundTo(cursor.binding), head, behind };
  const refused = (verdict: string): ExplainedCursor => ({
    ...facts,
    verdict: `${verdict} (410 cursor_expired): take a snapshot and continue from its boundaryCursor`,
  });
  if (page.feedId !== feedId)
    return refused(`of another feed than the one served now, ${page.feedId ?? 'which is not open yet'}`);
  if (position > head) return refused('beyond the head of the feed');
  if (isOtherHistory(page, cursor)) return refused('of history that the service has lost');
  if (position < page.prunedThrough) return refused(`changes after it are pruned, up to ${page.prunedThrough}`);
  if (page.changedAfterStart !== null && page.changedAfterStart < cutoff)
    return refused('changes after it are older than the replay retention');
  const nextChangeAt = page.changedAfterStart === null ? null : new Date(page.changedAfterStart).toISOString();
  const replayExpiresAt = new Date((page.changedAfterStart ?? now) + retentionMs).toISOString();
  const place = behind === 0 ? 'at the head' : `${behind} changes behind the head`;
  return { ...facts, nextChangeAt, replayExpiresAt, verdict: `good with ${facts.readWith}, ${place}` };
}
