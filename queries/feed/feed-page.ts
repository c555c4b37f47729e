import type { Statement, StatementValue, TextRow } from '../../domain/ports/database.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { tablesOf } from '../live-tables.ts';
import {
  ERASED_VERSIONS,
  fingerprintAt,
  NOT_SUPERSEDED as LAST_POSITION,
  RECORD_HISTORY,
  replayFloor,
} from '../../projections/record-history/tables.ts';

/** `after` is exclusive; null starts at the oldest replayable position. Times are milliseconds since the epoch. */
export interface FeedPageQuestion {
  readonly after: number | null;
  readonly resource: Resource | null;
  readonly limit: number;
  readonly maxBytes: number;
  /** Changes older than this are past the replay retention. */
  readonly cutoff: number;
}

/** Feed position, the item's text between its cursor and its closing brace in two parts, and the fingerprint up to the position. */
export type FeedItem = readonly [position: number, envelope: string, body: string, fingerprint: string | null];

/** A feed page, read at one moment. `items` are empty where `bytes` exceeds the maximum. */
export interface FeedPage {
  readonly head: number;
  /** Of the history up to the head; fingerprints are null where the live build is of a version that has none. */
  readonly headFingerprint: string | null;
  /** Null until the feed has been opened. */
  readonly feedId: string | null;
  /** Rows that were superseded at or below it may be pruned. */
  readonly prunedThrough: number;
  readonly start: number;
  /** Null also where it is pruned, and beyond the head. */
  readonly startFingerprint: string | null;
  /** Time of the change after `start`, of any resource; null at the head and where it is pruned. */
  readonly changedAfterStart: number | null;
  readonly last: number | null;
  readonly lastFingerprint: string | null;
  /** Time of the change right after `last`. */
  readonly changedAfterLast: number | null;
  readonly bytes: number;
  readonly moreAfterLast: boolean;
  /** Hash of the versions on the page that erasures have changed, as they are now; null where there are none. */
  readonly erasures: string | null;
  readonly items: readonly FeedItem[];
}

const erasuresWithin = (generation: number, after: string, last: string): string =>
  `(select encode(sha256(string_agg(e.position::text::bytea || h.digest, '' order by e.position)), 'hex')
    from ${ERASED_VERSIONS} e join ${RECORD_HISTORY.at(generation).history} h on h.position = e.position
    where e.generation = ${generation} and e.position > ${after} and e.position <= ${last})`;

const STATE = `'head', f.head, 'headFingerprint', f.fingerprint, 'feedId', f.feed_id, 'prunedThrough', f.pruned_through`;
const stateOf = (state: string, isLive: string, start: string): string =>
  `feed as materialized (
      select s.head, encode(s.fingerprint, 'hex') as fingerprint, s.feed_id, r.pruned_through, ${start} as start
      from ${state} s, civic.feed_retention r where ${isLive}
    )`;

/** What the feed says now of a page that was read before: its state, and the fingerprint of the history up to the head of that time. */
export type PageCheck = Pick<FeedPage, 'head' | 'headFingerprint' | 'feedId' | 'prunedThrough' | 'erasures'> & {
  readonly fingerprintThen: string | null;
};

export function pageCheckStatement(generation: number, { start, last, head }: FeedPage): Statement {
  const { history, state, isLive } = tablesOf(RECORD_HISTORY, generation);
  const text = `with ${stateOf(state, isLive, '$1::bigint')}
    select json_build_object(${STATE}, 'fingerprintThen', ${fingerprintAt(history, '$3::bigint')},
      'erasures', ${erasuresWithin(generation, 'f.start', '$2::bigint')})::text from feed f`;
  return { name: `feed_page_check_g${generation}`, text, values: [start, last, head] };
}

export const toPageCheck = ([facts]: readonly TextRow[]): PageCheck => JSON.parse(facts![0]!) as PageCheck;

/** One statement for the pruned position, floor, head and rows of a page: all of one moment, in which the generation was the live one. */
export function feedPageStatement(generation: number, question: FeedPageQuestion): Statement {
  const { history, state, isLive } = tablesOf(RECORD_HISTORY, generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue) => `$${values.push(value)}`;
  const first = question.after === null ? replayFloor(history, parameter(question.cutoff)) : `${parameter(question.after)}::bigint`;
  // Compared as a pair, so that no plan scans the whole feed for the few changes of a rare resource.
  const resource = question.resource === null ? null : parameter(question.resource);
  const changes = (from: string, to: string) =>
    resource === null
      ? `h.position > ${from} and h.position <= ${to} order by h.position`
      : `(h.resource, h.position) > (${resource}, ${from}) and (h.resource, h.position) <= (${resource}, ${to}) order by h.resource, h.position`;
  const limit = `limit ${parameter(question.limit)}::int`;
  const start = '(select start from feed)';
  // The rows are scanned twice, first for their sizes and then for their texts: to keep half a megabyte between the two would cost more.
  const text = `with ${stateOf(state, isLive, first)}, size as materialized (
      select max(p.position) as last, coalesce(sum(p.bytes), 0) as bytes from (
        select h.position, octet_length(h.envelope) + coalesce(octet_length(h.body), 0) as bytes
        from ${history} h where ${changes(start, LAST_POSITION)} ${limit}
      ) p
    )
    select json_build_object(
        ${STATE}, 'erasures', ${erasuresWithin(generation, 'f.start', 'z.last')},
        'start', f.start, 'startFingerprint', ${fingerprintAt(history, 'f.start')},
        'changedAfterStart', (select h.changed_at from ${history} h where h.position = f.start + 1),
        'last', z.last, 'changedAfterLast', (select h.changed_at from ${history} h where h.position = z.last + 1), 'bytes', z.bytes,
        'moreAfterLast', ${resource === null ? 'coalesce(z.last < f.head, false)' : `(select h.position from ${history} h where ${changes('z.last', LAST_POSITION)} limit 1) is not null`}
      )::text, null, null, null
    from feed f, size z
    union all
    (select h.position::text, h.envelope, h.body, encode(h.fingerprint, 'hex') from ${history} h
     where ${changes(start, `(select last from size where bytes <= ${parameter(question.maxBytes)}::bigint)`)})`;
  const form = `${question.resource === null ? '' : '_filtered'}${question.after === null ? '_floor' : ''}`;
  return { name: `feed_page_g${generation}${form}`, text, values };
}

export function toFeedPage([facts, ...rows]: readonly TextRow[]): FeedPage {
  const items = rows.map(
    ([position, envelope, body, fingerprint]): FeedItem => [Number(position), envelope!, body ?? '', fingerprint ?? null],
  );
  return { ...(JSON.parse(facts![0]!) as Omit<FeedPage, 'items' | 'lastFingerprint'>), items, lastFingerprint: items.at(-1)?.[3] ?? null };
}
