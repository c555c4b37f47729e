import { AGENDA_SEARCH, MARK } from '../../projections/agenda-search/tables.ts';
import type { SearchBinding, SearchCursor } from '../../domain/cursor.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { tablesOf } from '../live-tables.ts';
import { type CandidatePage, ENGLISH, MAX_CANDIDATES, pageOf, rankedItems, type Ranking, withMatter } from './ranked-page.ts';
import type { SearchQuery } from './search-query.ts';
import type { PeriodCounts } from './search-windows.ts';

/** All forms of a word begin with the letters of its stem but the last, hardly ever with fewer than so many. */
const STEM_LETTERS = 3;
/** Up to so many matches are looked at in all of time at once, which costs less than one window after another. */
const FEW_MATCHES = 3000;
/** Up to so many may be, where fewer are likely: words that occur together are often spread otherwise than by chance. */
const AT_MOST = 50_000;
/** Words that follow one another count more where an item has them side by side; of a longer query the first so many. */
const MAX_PAIRS = 8;
/** So many pairs a statement has room for: each is kept prepared by a connection, which takes a megabyte. */
const PAIRS = [0, 2, MAX_PAIRS];
/** `exp` of less is an error in PostgreSQL. */
const SMALLEST_LOGARITHM = -700;

/** Words of the name of a place that people leave out. */
const KINDS_OF_PLACES = `array['city', 'county', 'of', 'town', 'village']`;

/** A word of a query that the database wrote. */
const LEXEME = String.raw`$re$'(?:[^'\\]|''|\\\\)+'$re$`;

/** What is known of a query before items are ranked. Queries are texts as the database writes them. */
export interface SearchContext {
  /** Empty where no word can be searched. */
  readonly query: string;
  /** Met by any word of the query, not by a mark. */
  readonly anyWord: string;
  /** The parts that an item must have; none for a query with OR or minus. */
  readonly units: readonly string[];
  /** Words side by side: each pair that an item has adds once its rank. */
  readonly pairs: readonly string[];
  /** The number of records by the search term of a word; those that none has. */
  readonly records: Readonly<Record<string, number>>;
  readonly unknown: readonly string[];
  /** Search terms of the words that name a jurisdiction. */
  readonly places: readonly string[];
  /** Query for the bodies of the jurisdiction, empty where it has none; null when none was asked for or none has this slug. */
  readonly bodies: string | null;
  readonly topic: string | null;
  readonly periods: PeriodCounts;
  /** So many entries have all words, were they spread by chance; null where no counted word is surely none of a name. */
  readonly likely: number | null;
  /** Whether entries have marks of days, which version 2 of the read model lacks. */
  readonly isDated: boolean;
  /** Null where the matches may be many, and where a search is continued with items that lack some of its parts. */
  readonly page: CandidatePage | null;
}

/** Beside the words. */
export interface SearchLimits extends Pick<SearchBinding, 'jurisdictionSlug' | 'topicSlug'> {
  readonly fromDay: number | null;
  readonly toDay: number | null;
  readonly after: SearchCursor | null;
  readonly limit: number;
}

/** One row: the context as JSON, in it the page where few items match. The statement is planned again for each `scale`. */
export function searchContext(
  generation: number,
  { units, words }: SearchQuery,
  asked: SearchLimits & { readonly scale: number },
): Statement {
  const { jurisdictions, bodies, topics, periods, words: known, entries, isLive } = tablesOf(AGENDA_SEARCH, generation);
  const { jurisdictionSlug, topicSlug, fromDay, toDay, after, limit, scale } = asked;
  const pairs = PAIRS.find((many) => many >= units.length - 1) ?? MAX_PAIRS;
  const operators = `(u.unit ->> 'isExcluded')::boolean as is_excluded, (u.unit ->> 'isAlternative')::boolean as is_alternative`;
  const ranking: Ranking = {
    query: `(select s.query::tsquery from search s)`,
    anyWord: `(select s.any_word::tsquery from search s)`,
    pairs: Array.from({ length: pairs }, (_, index) => `(select s.pairs[${index + 1}]::tsquery from search s)`),
    units: [],
    after: ['$7::int', '$8::bigint', '$9::uuid'],
    limit: '$10::int',
  };
  return {
    name: `search_p${pairs}_s${scale}_g${generation}`,
    text: `with names as materialized (
        select coalesce(lower(string_agg(n.name, E'\\n')), '') as text
        from (select name from ${jurisdictions} union all select name from ${bodies} union all select names from ${topics}) n
      ),
      typed as materialized (
        select w.word, w.place, s.stems[1] as stem, (select sum(k.records)::float8 from ${known} k where k.stem = s.stems[1]) as records,
          position(left(s.stems[1], greatest(${STEM_LETTERS}, length(s.stems[1]) - 1)) in n.text) > 0 as is_named,
          case when position(w.word in n.text) > 0 then w.word <> all (${KINDS_OF_PLACES}) and exists (
            select from (select string_to_array(lower(name), ' ') as words from ${jurisdictions}) p
            where w.word = any (p.words) and p.words <@ (array(select jsonb_array_elements_text($2::jsonb)) || ${KINDS_OF_PLACES})
          ) else false end as is_place
        from jsonb_array_elements_text($2::jsonb) with ordinality as w (word, place) cross join names n
        cross join lateral ts_lexize('pg_catalog.english_stem', w.word) as s (stems) where s.stems <> '{}'
      ),
      asked as materialized (
        select u.n, u.unit, ${operators}, array(select '''' || m.mark || '''' from jsonb_array_elements_text(u.unit -> 'marks') as m (mark)) as marks, array(
          select q.query::text from jsonb_array_elements_text(u.unit -> 'texts') as t (text)
          cross join lateral websearch_to_tsquery(${ENGLISH}, t.text) as q (query) where numnode(q.query) > 0
        ) as queries
        from jsonb_array_elements($1::jsonb) with ordinality as u (unit, n)
      ),
      -- Where nothing but dates was asked for, the words of a date are not: the meetings of that day are wanted.
      chosen as materialized (
        select a.*, case when d.is_dates then '{}' else a.queries end as texts
        from asked a cross join (select bool_and((unit ->> 'isDate')::boolean or (queries = '{}' and marks = '{}')) as is_dates from asked) d
      ),
      parts as materialized (
        select n, is_excluded, is_alternative, jsonb_array_length(unit -> 'texts') = 1 and not is_excluded and not is_alternative as is_plain,
          case cardinality(texts || marks) when 0 then null when 1 then (texts || marks)[1]
            else '( ' || array_to_string(texts || marks, ' ) | ( ') || ' )' end as part
        from chosen
      ),
      composed as materialized (
        select
          (select coalesce(substr(string_agg(case when is_alternative then ' | ' else ' & ' end || case when is_excluded then '!' else '' end
            || '( ' || part || ' )', '' order by n), 4), '') from parts where part is not null) as query,
          (select coalesce(string_agg(distinct m.word[1], ' | '), '') from chosen, unnest(texts) as t (text), regexp_matches(t.text, ${LEXEME}, 'g') as m (word)) as any_word,
          case when (select bool_or(is_excluded or is_alternative) from asked) then '{}'
            else array(select part from parts where part is not null order by n) end as units,
          array(select '( ' || before || ' ) <-> ( ' || part || ' )' from (
            select n, part, is_plain, lag(case when is_plain then part end) over (order by n) as before from parts
          ) p where is_plain and part is not null and before is not null order by n limit ${MAX_PAIRS}) as pairs,
          case when $3::text is not null then (
            select (select coalesce(string_agg('''${MARK.body}' || b.body_id || '''', ' | '), '') from ${bodies} b where b.jurisdiction_id = j.jurisdiction_id)
            from ${jurisdictions} j where j.slug = $3 order by j.created_at, j.jurisdiction_id limit 1
          ) end as bodies,
          (select '''${MARK.topic}' || t.topic_id || '''' from ${topics} t where t.slug = $4 order by t.created_at, t.topic_id limit 1) as topic,
          -- No more entries have all words: the records of the rarest. Null where no counted word is surely none of a name, which many entries have.
          (select min(coalesce(records, 0)) from typed where not is_named) as at_most,
          -- So many have them all, were they spread by chance. A share is at most one; of a very small one the exponential is an error.
          (select exp(greatest(${SMALLEST_LOGARITHM}, least(0, coalesce(sum(ln(greatest(t.records, 1))), 0) - count(*) * ln(1 + a.entries)::float8))) * a.entries from typed t where not is_named) as likely
        from (select coalesce(sum(entries), 0) as entries from ${periods}) a
      ),
      search as materialized (
        select c.*, concat_ws(' & ', '( ' || query || ' )', '( ' || bodies || ' )', topic) as wanted,
          $11::boolean and units <> '{}' and coalesce(bodies <> '', $3::text is null) and coalesce(topic <> '', $4::text is null)
            and coalesce(at_most <= ${FEW_MATCHES} or (at_most <= ${AT_MOST} and likely <= ${FEW_MATCHES}), false) as is_few
        from composed c
      ),
      found as materialized (
        ${withMatter(`select item_id, starts_at, words, matter from ${entries} e
          where (select s.is_few from search s) and e.words @@ (select s.wanted::tsquery from search s)
            and ($5::bigint is null or e.day >= $5) and ($6::bigint is null or e.day <= $6)
          order by e.starts_at desc, e.item_id desc limit ${MAX_CANDIDATES + 1}`)}
      ),
      ${rankedItems(ranking)}
      select json_build_object(
        'query', c.query, 'anyWord', c.any_word, 'units', c.units, 'pairs', c.pairs, 'bodies', c.bodies, 'topic', c.topic,
        'records', (select coalesce(json_object_agg(stem, records), '{}') from typed where records is not null),
        'unknown', (select coalesce(json_agg(word order by place), '[]') from typed where records is null),
        'places', (select coalesce(json_agg(stem), '[]') from typed where is_place),
        'periods', (select coalesce(json_agg(json_build_array(p.period, p.entries) order by p.period desc), '[]') from ${periods} p),
        'likely', case when c.at_most is not null then c.likely end,
        'isDated', exists (select from pg_attribute a where a.attrelid = '${entries}'::regclass and a.attname = 'matter'),
        'page', case when c.is_few then ${pageOf(generation, ranking)} end
      ) from search c where ${isLive}`,
    values: [
      JSON.stringify(units),
      JSON.stringify(words),
      jurisdictionSlug,
      topicSlug,
      fromDay,
      toDay,
      ...(after === null ? [null, null, null] : [after.rank, after.startsAt, after.itemId]),
      limit,
      after === null || after.leniency === 0,
    ],
  };
}
