import { AGENDA_SEARCH, MARK } from '../../projections/agenda-search/tables.ts';
import type { Statement, StatementValue } from '../../domain/ports/database.ts';
import type { SearchBinding, SearchCursor } from '../../domain/cursor.ts';
import { tablesOf } from '../live-tables.ts';
import type { SearchQuery } from './search-query.ts';
import type { PeriodCounts, SearchWindow } from './search-windows.ts';

/** More matches than this are not ranked, but the latest of them. */
export const MAX_CANDIDATES = 1000;
/** All forms of a word begin with the same letters, so many at least. */
const STEM_LETTERS = 3;

/** Words of the name of a place that people leave out. */
const KINDS_OF_PLACES = `array['city', 'county', 'of', 'town', 'village']`;

const ENGLISH = `'pg_catalog.english'`;

export interface SearchContext {
  /** Of the texts, as the database writes queries; empty where no word can be searched. */
  readonly queries: readonly string[];
  /** The number of records by the search term of a word; those that none has. */
  readonly records: Readonly<Record<string, number>>;
  readonly unknown: readonly string[];
  /** Search terms of the words that name a jurisdiction. */
  readonly places: readonly string[];
  /** Of the jurisdiction; null when none was asked for or none has this slug. */
  readonly bodyIds: readonly string[] | null;
  readonly topicId: string | null;
  readonly periods: PeriodCounts;
  /** Logarithm of the share of entries that have all words, were they spread by chance. */
  readonly shares: number;
  /** No more entries have all words: the records of the rarest. Null where every word may be one of a name, which many entries have. */
  readonly maxMatches: number | null;
}

type SearchPlaces = Pick<SearchBinding, 'jurisdictionSlug' | 'topicSlug'>;

/** One row: the context as JSON. */
export function searchContext(
  generation: number,
  { texts, words: typed }: SearchQuery,
  { jurisdictionSlug, topicSlug }: SearchPlaces,
): Statement {
  const { jurisdictions, bodies, topics, periods, words, isLive } = tablesOf(AGENDA_SEARCH, generation);
  return {
    name: `search_context_g${generation}`,
    text: `with names as (select name from ${jurisdictions} union all select name from ${bodies} union all select names from ${topics}),
      places as (select string_to_array(lower(name), ' ') as words from ${jurisdictions}),
      typed as materialized (
        select w.word, w.place, s.stems[1] as stem, (select sum(k.records) from ${words} k where k.stem = s.stems[1]) as records,
          exists (select from names n where lower(n.name) like '%' || left(w.word, ${STEM_LETTERS}) || '%') as is_named,
          w.word <> all (${KINDS_OF_PLACES}) and exists (select from places p where w.word = any (p.words) and p.words <@ ($2::text[] || ${KINDS_OF_PLACES})) as is_place
        from unnest($2::text[]) with ordinality as w (word, place)
        cross join lateral ts_lexize('pg_catalog.english_stem', w.word) as s (stems) where s.stems <> '{}'
      )
      select json_build_object(
        'queries', (select coalesce(json_agg(websearch_to_tsquery(${ENGLISH}, t.text)::text order by t.place), '[]')
          from unnest($1::text[]) with ordinality as t (text, place)),
        'records', (select coalesce(json_object_agg(stem, records), '{}') from typed where records is not null),
        'unknown', (select coalesce(json_agg(word order by place), '[]') from typed where records is null),
        'places', (select coalesce(json_agg(stem), '[]') from typed where is_place),
        'maxMatches', (select min(coalesce(records, 0)) from typed where not is_named),
        'shares', (select coalesce(sum(ln(greatest(records, 1))), 0) - count(*) * ln(1 + (select coalesce(sum(entries), 0) from ${periods}))
          from typed where not is_named),
        'bodyIds', case when $3::text is not null then (
          select (select coalesce(json_agg(b.body_id), '[]') from ${bodies} b where b.jurisdiction_id = j.jurisdiction_id)
          from ${jurisdictions} j where j.slug = $3 order by j.created_at, j.jurisdiction_id limit 1
        ) end,
        'topicId', (select t.topic_id from ${topics} t where t.slug = $4 order by t.created_at, t.topic_id limit 1),
        'periods', (select coalesce(json_agg(json_build_array(p.period, p.entries) order by p.period desc), '[]') from ${periods} p)
      ) where ${isLive}`,
    values: [texts, typed, jurisdictionSlug, topicSlug],
  };
}

export interface CandidateSearch {
  /** As the database writes queries. */
  readonly query: string;
  /** Met by any word of it. */
  readonly anyWord: string;
  /** Parts of a query that an item may lack, each with its weight. Empty: an item must match the whole query. */
  readonly units: readonly { readonly query: string; readonly weight: number }[];
  /** Words side by side: each pair that an item has adds once its rank. */
  readonly pairs: readonly string[];
  /** Marks one of which an item must have, for each filter. */
  readonly marks: readonly string[];
  readonly windows: readonly SearchWindow[];
  readonly fromDay: number | null;
  readonly toDay: number | null;
  readonly after: SearchCursor | null;
  readonly limit: number;
}

export const bodyMarks = (bodyIds: readonly string[]): string => bodyIds.map((id) => `'${MARK.body}${id}'`).join(' | ');
export const topicMark = (topicId: string): string => `'${MARK.topic}${topicId}'`;

/** Of text, names, topics and title. */
const WEIGHTS = `'{0.15, 0.3, 0.4, 1.0}'`;
const RANK_STEPS = 1_000_000;
/** An item of which the source gives a title and nothing else comes after all others. */
const TITLE_ALONE = `0.001::real`;
const HEADLINE = `'MaxFragments=1, MaxWords=40, MinWords=20, ShortWord=0, StartSel="", StopSel=""'`;
const HEADLINE_TEXT = 60_000;
/** A shorter text is shown as it is, and this much of the beginning and end of a longer one shows whether an excerpt reaches them. */
const EDGE = 250;

/**
 * The latest candidates, ranked, and one page of them with one row more than it holds. Without a name, so that it is planned for this very
 * query. Columns: id, rank, start, whether there were more candidates than are ranked.
 */
export function searchCandidates(generation: number, search: CandidateSearch): Statement {
  const { entries, isLive } = tablesOf(AGENDA_SEARCH, generation);
  const values: StatementValue[] = [];
  const parameter = (value: StatementValue) => `$${values.push(value)}`;
  const asQuery = (text: string) => `${parameter(text)}::tsquery`;
  const query = asQuery(search.query);
  const days = [
    ...(search.fromDay === null ? [] : [`e.day >= ${parameter(search.fromDay)}::bigint`]),
    ...(search.toDay === null ? [] : [`e.day <= ${parameter(search.toDay)}::bigint`]),
  ];
  const filters = search.marks.map(asQuery);
  const windows = search.windows.map(({ marks, before }) => {
    const wanted = [query, ...filters, ...(marks === null ? [] : [asQuery(marks)])].join(' && ');
    const older = before === null ? [] : [`e.period < ${parameter(before)}::bigint`];
    return `(select item_id, starts_at, words, matter from ${entries} e where ${[`e.words @@ (${wanted})`, ...older, ...days].join(' and ')}
      order by e.starts_at desc, e.item_id desc limit ${MAX_CANDIDATES + 1})`;
  });
  const adjacent = ['1', ...search.pairs.map((pair) => `(c.words @@ ${asQuery(pair)})::int`)].join(' + ');
  const match = `ts_rank(${WEIGHTS}, c.words, ${search.units.length === 0 ? query : asQuery(search.anyWord)}, 1) * (${adjacent})
    * case when c.matter is null then ${TITLE_ALONE} else 1 end`;
  const parts = search.units.map((unit) => `(c.words @@ ${asQuery(unit.query)})::int * ${unit.weight}`).join(' + ');
  const rank = parts === '' ? `(${match} * ${RANK_STEPS})::int` : `(${parts}) * 1000 + least(999, (${match} * 1000)::int)`;
  // Joined with nothing where it is looked at many times, so that it is fetched once from where it is stored; that costs a copy.
  const words = parts === '' && search.pairs.length < 3 ? 'words' : `words || ''::tsvector as words`;
  const { after } = search;
  const unseen =
    after === null
      ? ''
      : ` and (c.rank, c.starts_at, c.item_id) < (${parameter(after.rank)}::int, ${parameter(after.startsAt)}::bigint, ${parameter(after.itemId)}::uuid)`;
  // The limit ends the scan of `union all` before the later windows are read.
  return {
    text: `with found as materialized (
        select f.* from (select null::bigint as matter) version_2 cross join lateral (select * from (${windows.join(' union all ')}) f limit ${MAX_CANDIDATES + 1}) f
      )
      select c.item_id, c.rank, c.starts_at, (select count(*) > ${MAX_CANDIDATES} from found) from (
        select distinct on (c.matter, c.lone_id) c.item_id, c.starts_at, c.rank from (
          select c.item_id, c.starts_at, ${rank} as rank, c.matter, case when c.matter is null then c.item_id end as lone_id from (
            select item_id, starts_at, ${words}, matter from found order by starts_at desc, item_id desc limit ${MAX_CANDIDATES}
          ) c
        ) c order by c.matter, c.lone_id, c.rank desc, c.starts_at desc, c.item_id desc
      ) c where ${isLive}${unseen} order by c.rank desc, c.starts_at desc, c.item_id desc limit ${parameter(search.limit + 1)}::int`,
    values,
  };
}

/** The items of a page in its order, each with an excerpt around any of the words; an item that is gone is left out. */
export function searchResults(generation: number, itemIds: readonly string[], anyWord: string): Statement {
  const { jurisdictions, bodies, sources, meetings, items, entries, isLive } = tablesOf(AGENDA_SEARCH, generation);
  return {
    name: `search_results_g${generation}`,
    text: `select p.item_id, e.starts_at, i.title, j.name, b.name,
        case when length(d.shown) <= ${EDGE} then d.shown else ts_headline(${ENGLISH}, left(d.shown, ${HEADLINE_TEXT}), $2::tsquery, ${HEADLINE}) end,
        left(d.shown, ${EDGE}), right(d.shown, ${EDGE}),
        i.source_url, s.type, s.status, s.succeeded_at, m.day, ${timezoneOf('m')}, ${startTimeOf('m')}, m.status, i.matter_file, i.outcome
      from unnest($1::uuid[]) with ordinality as p (item_id, number)
      join ${entries} e on e.item_id = p.item_id join ${items} i on i.item_id = p.item_id join ${meetings} m on m.meeting_id = i.meeting_id
      join ${bodies} b on b.body_id = m.body_id join ${jurisdictions} j on j.jurisdiction_id = b.jurisdiction_id
      cross join lateral (select case when i.text is not null and ts_rank('{1, 0, 0, 0}', e.words, $2::tsquery) > 0 then i.text else i.title end as shown) d
      left join lateral ${sourceOf(sources)} on true
      where ${isLive} order by p.number`,
    values: [itemIds, anyWord],
  };
}

/** The time zone of a meeting; null in version 1 of the read model, which has no such column and is read while version 2 is built. */
export const timezoneOf = (meeting: string): string => `to_jsonb(${meeting}) ->> 'timezone'`;

/** How the start of a meeting is stated, as JSON; null where it is stated, and before version 4 of the read model. */
export const startTimeOf = (meeting: string): string => `to_jsonb(${meeting}) ->> 'start_time'`;

/** The source of a meeting `m`; where it names no known one, the source of its body. */
export const sourceOf = (sources: string): string => `(
  select s.type, s.status, s.succeeded_at from ${sources} s where s.source_id = m.source_id or s.body_id = m.body_id
  order by s.source_id = m.source_id desc nulls last, s.active desc, s.created_at, s.source_id limit 1
) s`;
