import type { Statement, StatementValue } from '../../domain/ports/database.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { tablesOf } from '../live-tables.ts';
import {
  ERASED_VERSIONS,
  fingerprintAt,
  NOT_SUPERSEDED as LAST_POSITION,
  RECORD_HISTORY,
  replayFloor,
} from '../../projections/record-history/tables.ts';

/** Request for a page. `after` is exclusive; null starts at the oldest replayable position. Times are milliseconds. */
export interface FeedPageQuestion {
  readonly after: number | null;
  readonly resource: Resource | null;
  readonly limit: number;
  readonly maxBytes: number;
  /** Changes before this time are past the replay retention. */
  readonly cutoff: number;
}

/** A change. `envelope` and `body` are the text between cursor and closing brace. */
interface FeedItem {
  readonly position: number;
  readonly envelope: string;
  readonly body: string;
  /** Fingerprint of the history up to the position. */
  readonly fingerprint: string | null;
}

/** A feed page from one snapshot. `items` is empty if `bytes` exceeds the maximum. */
export interface FeedPage {
  /** Generation of the record history that was read. */
  readonly generation: number;
  readonly head: number;
  /** Fingerprint of the history up to the head. Fingerprints are null if the live generation has none. */
  readonly headFingerprint: string | null;
  /** Null until the feed has been opened. */
  readonly feedId: string | null;
  /** Rows superseded at or below this position might be pruned. */
  readonly prunedThrough: number;
  readonly start: number;
  /** Fingerprint of the history up to `start`. Also null if it is pruned or beyond the head. */
  readonly startFingerprint: string | null;
  /** Time of the change after `start`, of any resource. Null at the head, and if it is pruned. */
  readonly changedAfterStart: number | null;
  readonly last: number | null;
  readonly lastFingerprint: string | null;
  /** Time of the change right after `last`. */
  readonly changedAfterLast: number | null;
  readonly bytes: number;
  readonly moreAfterLast: boolean;
  /** Hash of the erased versions on the page in their current form; null if there are none. */
  readonly erasures: string | null;
  readonly items: readonly FeedItem[];
}

const erasuresWithin = (generation: number, after: string, last: string): string =>
  `(select encode(sha256(string_agg(e.position::text::bytea || h.digest, '' order by e.position)), 'hex')
    from ${ERASED_VERSIONS} e join ${RECORD_HISTORY.at(generation).history} h on h.position = e.position
    where e.generation = ${generation} and e.position > ${after} and e.position <= ${last})`;

const stateFields = (generation: number): string =>
  `'generation', ${generation}, 'head', f.head, 'headFingerprint', f.fingerprint, 'feedId', f.feed_id,
  'prunedThrough', f.pruned_through`;
const stateOf = (state: string, isLive: string, start: string): string =>
  `feed as materialized (
      select s.head, encode(s.fingerprint, 'hex') as fingerprint, s.feed_id, r.pruned_through, ${start} as start
      from ${state} s, civic.feed_retention r where ${isLive}
    )`;

type PageState = Pick<FeedPage, 'generation' | 'head' | 'headFingerprint' | 'feedId' | 'prunedThrough' | 'erasures'>;

/** Current state of the feed, and the current fingerprint at the head of a page that was read before. */
export type PageCheck = PageState & { readonly fingerprintThen: string | null };

export function pageCheckStatement(generation: number, { start, last, head }: FeedPage): Statement {
  const { history, state, isLive } = tablesOf(RECORD_HISTORY, generation);
  const text = `with ${stateOf(state, isLive, '$1::bigint')}
    select json_build_object(${stateFields(generation)}, 'fingerprintThen', ${fingerprintAt(history, '$3::bigint')},
      'erasures', ${erasuresWithin(generation, 'f.start', '$2::bigint')}) as facts from feed f`;
  return { name: `feed_page_check_g${generation}`, text, values: [start, last, head] };
}

/**
 * Builds one statement for a page, so that pruned position, floor, head and rows come from one snapshot of the
 * generation.
 */
export function feedPageStatement(generation: number, question: FeedPageQuestion): Statement {
  const { history, state, isLive } = tablesOf(RECORD_HISTORY, generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue) => `$${values.push(value)}`;
  const first =
    question.after === null ? replayFloor(history, parameter(question.cutoff)) : `${parameter(question.after)}::bigint`;
  // Compare as a row, so that no plan scans the whole feed for the few changes of a rare resource.
  const resource = question.resource === null ? null : parameter(question.resource);
  const changes = (from: string, to: string) =>
    resource === null
      ? `h.position > ${from} and h.position <= ${to} order by h.position`
      : `(h.resource, h.position) > (${resource}, ${from}) and (h.resource, h.position) <= (${resource}, ${to})
          order by h.resource, h.position`;
  const moreAfterLast =
    resource === null
      ? 'coalesce(z.last < f.head, false)'
      : `(select h.position from ${history} h where ${changes('z.last', LAST_POSITION)} limit 1) is not null`;
  const limit = `limit ${parameter(question.limit)}::int`;
  const start = '(select start from feed)';
  // Scan the rows twice, first for sizes and then for texts. To materialize half a megabyte in between would cost more.
  const text = `with ${stateOf(state, isLive, first)}, size as materialized (
      select max(p.position) as last, coalesce(sum(p.bytes), 0) as bytes from (
        select h.position, octet_length(h.envelope) + coalesce(octet_length(h.body), 0) as bytes
        from ${history} h where ${changes(start, LAST_POSITION)} ${limit}
      ) p
    )
    select json_build_object(
        ${stateFields(generation)}, 'erasures', ${erasuresWithin(generation, 'f.start', 'z.last')},
        'start', f.start, 'startFingerprint', ${fingerprintAt(history, 'f.start')},
        'changedAfterStart', (select h.changed_at from ${history} h where h.position = f.start + 1),
        'last', z.last, 'bytes', z.bytes,
        'changedAfterLast', (select h.changed_at from ${history} h where h.position = z.last + 1),
        'moreAfterLast', ${moreAfterLast}
      ) as facts, null as position, null as envelope, null as body, null as fingerprint
    from feed f, size z
    union all
    (select null, h.position, h.envelope, coalesce(h.body, ''), encode(h.fingerprint, 'hex') from ${history} h
     where ${changes(start, `(select last from size where bytes <= ${parameter(question.maxBytes)}::bigint)`)})`;
  const form = `${question.resource === null ? '' : '_filtered'}${question.after === null ? '_floor' : ''}`;
  return { name: `feed_page_g${generation}${form}`, text, values };
}

type PageFacts = Omit<FeedPage, 'items' | 'lastFingerprint'>;

/** Row of a page: the first has the facts, the others are items. */
export type FeedPageRow = { readonly facts: PageFacts } | ({ readonly facts: null } & FeedItem);

export function toFeedPage(rows: readonly FeedPageRow[]): FeedPage {
  const items = rows.filter((row) => row.facts === null);
  const { facts } = rows[0] as Extract<FeedPageRow, { readonly facts: PageFacts }>;
  return { ...facts, items, lastFingerprint: items.at(-1)?.fingerprint ?? null };
}
