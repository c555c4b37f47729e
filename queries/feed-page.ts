import { requireLive } from '../src/domain/ports/projection.ts';
import type { Statement, StatementValue, TextRow } from '../src/domain/ports/database.ts';
import type { Resource } from '../src/domain/records/resources.ts';
import { NOT_SUPERSEDED as LAST_POSITION, RECORD_HISTORY, recordHistoryTables, replayFloor } from '../projections/record-history/tables.ts';

/** What to read. `after` is exclusive; null starts at the oldest replayable position. Times are milliseconds since the epoch. */
export interface FeedPageQuestion {
  readonly after: number | null;
  readonly resource: Resource | null;
  readonly limit: number;
  readonly maxBytes: number;
  /** Changes older than this are past the replay retention. */
  readonly cutoff: number;
}

/** Everything a feed page says, seen at one moment. */
export interface FeedPage {
  readonly head: number;
  /** Null until the feed has been opened. */
  readonly feedId: string | null;
  /** Rows superseded at or below it may be gone. */
  readonly mark: number;
  readonly start: number;
  /** Time of the change right after `start`, whatever its resource; null at the head and below the mark. */
  readonly changedAfterStart: number | null;
  readonly last: number | null;
  /** Time of the change right after `last`. */
  readonly changedAfterLast: number | null;
  readonly bytes: number;
  readonly moreAfterLast: boolean;
  /** Feed position and the item's text from `"resource"` up to, without, the closing brace. Empty when `bytes` is over the maximum. */
  readonly items: readonly (readonly [position: number, text: string])[];
}

/** One statement for mark, floor, head and rows of a page: all of one moment, in which the generation was the live one. */
export const feedPageStatement = (generation: number, question: FeedPageQuestion): Statement => {
  const { history, state } = recordHistoryTables(generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue) => `$${values.push(value)}`;
  const start = question.after === null ? replayFloor(history, parameter(question.cutoff)) : `${parameter(question.after)}::bigint`;
  // The pair is compared as one, so that no plan walks the whole feed to find the few changes of a rare resource.
  const resource = question.resource === null ? null : parameter(question.resource);
  const after = (from: string) =>
    resource === null
      ? `h.position > ${from} order by h.position`
      : `(h.resource, h.position) > (${resource}, ${from}) and (h.resource, h.position) <= (${resource}, ${LAST_POSITION}) order by h.resource, h.position`;
  const text = `with feed as materialized (
      select s.head, s.feed_id, r.mark, ${start} as start
      from ${state} s, civic.feed_retention r where ${requireLive(RECORD_HISTORY, generation)}
    ), page as materialized (
      select h.position, h.envelope, h.body from ${history} h
      where ${after('(select start from feed)')} limit ${parameter(question.limit)}::int
    ), size as materialized (
      select max(position) as last, coalesce(sum(octet_length(envelope) + coalesce(octet_length(body), 0)), 0) as bytes from page
    )
    select json_build_array(
        f.head, f.feed_id, f.mark, f.start, (select h.changed_at from ${history} h where h.position = f.start + 1),
        z.last, (select h.changed_at from ${history} h where h.position = z.last + 1), z.bytes,
        ${resource === null ? 'coalesce(z.last < f.head, false)' : `(select h.position from ${history} h where ${after('z.last')} limit 1) is not null`}
      )::text, null
    from feed f, size z
    union all
    select p.position::text, case when p.body is null then p.envelope else p.envelope || p.body end
    from page p where (select bytes from size) <= ${parameter(question.maxBytes)}::bigint`;
  const form = `${question.resource === null ? '' : '_filtered'}${question.after === null ? '_floor' : ''}`;
  return { name: `feed_page_g${generation}${form}`, text, values };
};

export const toFeedPage = (rows: readonly TextRow[]): FeedPage => {
  const [meta, ...items] = rows;
  const [head, feedId, mark, start, changedAfterStart, last, changedAfterLast, bytes, moreAfterLast] = JSON.parse(meta![0]!) as [
    number,
    string | null,
    number,
    number,
    number | null,
    number | null,
    number | null,
    number,
    boolean,
  ];
  return {
    head,
    feedId,
    mark,
    start,
    changedAfterStart,
    last,
    changedAfterLast,
    bytes,
    moreAfterLast,
    items: items.map(([position, text]) => [Number(position), text!] as const),
  };
};
