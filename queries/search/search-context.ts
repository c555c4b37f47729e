import { AGENDA_SEARCH, MARK } from '../../projections/agenda-search/tables.ts';
import type { SearchBinding } from '../../domain/cursor.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { liveStatement, type tablesOf } from '../live-tables.ts';
import { type ComposedQuery, composeQuery } from './composed-query.ts';
import { ENGLISH } from './ranked-page.ts';
import type { SearchQuery } from './search-query.ts';
import type { PeriodCounts } from './search-windows.ts';

/** Facts about a query that a search needs before it reads items. */
export interface SearchContext extends ComposedQuery {
  /** Number of records by search term. */
  readonly records: Readonly<Record<string, number>>;
  /** Words that no record contains. */
  readonly unknown: readonly string[];
  /** Search terms of the words that name a jurisdiction. */
  readonly places: readonly string[];
  /**
   * Query for the bodies of the jurisdiction; empty if it has none, null if none was requested or its slug is unknown.
   */
  readonly bodies: string | null;
  /** Query for the topic; null if none was requested or its slug is unknown. */
  readonly topic: string | null;
  readonly periods: PeriodCounts;
}

type Tables = ReturnType<typeof tablesOf<typeof AGENDA_SEARCH>>;

/** Words that people leave out of the name of a place. */
const KINDS_OF_PLACES = `array['city', 'county', 'of', 'town', 'village']`;

/** Queries of the texts of each unit ($1), in the order of the units. */
const UNIT_QUERIES = `(
  select coalesce(json_agg(array(
    select q.query::text from jsonb_array_elements_text(u.texts) as t (text)
    cross join lateral websearch_to_tsquery(${ENGLISH}, t.text) as q (query) where numnode(q.query) > 0
  ) order by u.place), '[]')
  from jsonb_array_elements($1::jsonb) with ordinality as u (texts, place)
)`;

/** Names of jurisdictions all of whose words were typed ($2), apart from the kind of the place. */
const typedPlaces = ({ jurisdictions }: Tables): string => `
  select name.words from (select string_to_array(lower(name), ' ') as words from ${jurisdictions}) name
  where name.words <@ ($2::text[] || ${KINDS_OF_PLACES})`;

/** The typed words ($2) that a search does not ignore, with the number of records that contain them. */
const typedWords = ({ words }: Tables): string => `(
  select coalesce(json_agg(json_build_object(
    'word', typed.word,
    'stem', s.stems[1],
    'records', (select sum(known.records) from ${words} known where known.stem = s.stems[1]),
    'isPlace', typed.word <> all (${KINDS_OF_PLACES})
      and exists (select from typed_places p where typed.word = any (p.words))
  ) order by typed.place), '[]')
  from unnest($2::text[]) with ordinality as typed (word, place)
  cross join lateral ts_lexize('pg_catalog.english_stem', typed.word) as s (stems) where s.stems <> '{}'
)`;

/** Query for the bodies of the jurisdiction with the slug $3; the older jurisdiction if two share it. */
const bodiesOfJurisdiction = ({ jurisdictions, bodies }: Tables): string => `(
  select coalesce(
    (select string_agg('''${MARK.body}' || b.body_id || '''', ' | ') from ${bodies} b where b.jurisdiction_id = j.jurisdiction_id),
    ''
  )
  from ${jurisdictions} j where j.slug = $3 order by j.created_at, j.jurisdiction_id limit 1
)`;

/** Query for the topic with the slug $4; the older topic if two share it. */
const topicOfSlug = ({ topics }: Tables): string => `(
  select '''${MARK.topic}' || t.topic_id || '''' from ${topics} t where t.slug = $4 order by t.created_at, t.topic_id limit 1
)`;

const periodCounts = ({ periods }: Tables): string => `(
  select coalesce(json_agg(json_build_array(p.period, p.entries) order by p.period desc), '[]') from ${periods} p
)`;

interface ContextRow extends Pick<SearchContext, 'bodies' | 'topic' | 'periods'> {
  readonly queries: readonly (readonly string[])[];
  readonly words: readonly {
    readonly word: string;
    readonly stem: string;
    readonly records: number | null;
    readonly isPlace: boolean;
  }[];
}

export async function readSearchContext(
  reads: LiveReads,
  { units, words: typed }: Pick<SearchQuery, 'units' | 'words'>,
  { jurisdictionSlug, topicSlug }: Pick<SearchBinding, 'jurisdictionSlug' | 'topicSlug'>,
): Promise<SearchContext> {
  const [row] = await reads.rows<{ context: ContextRow }>(
    liveStatement(AGENDA_SEARCH, {
      text: (tables) => `with typed_places as materialized (${typedPlaces(tables)})
      select json_build_object(
        'queries', ${UNIT_QUERIES},
        'words', ${typedWords(tables)},
        'bodies', ${bodiesOfJurisdiction(tables)},
        'topic', ${topicOfSlug(tables)},
        'periods', ${periodCounts(tables)}
      ) as context where ${tables.isLive}`,
      values: [JSON.stringify(units.map(({ texts }) => texts)), typed, jurisdictionSlug, topicSlug],
    }),
  );
  const { queries, words, bodies, topic, periods } = row!.context;
  const frequencies = words.flatMap(({ stem, records }) => (records === null ? [] : [[stem, records] as const]));
  return {
    ...composeQuery(units, queries),
    records: Object.fromEntries(frequencies),
    unknown: words.filter(({ records }) => records === null).map(({ word }) => word),
    places: words.filter(({ isPlace }) => isPlace).map(({ stem }) => stem),
    bodies,
    topic,
    periods,
  };
}
