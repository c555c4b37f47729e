import { AGENDA_SEARCH, MARK } from '../../projections/agenda-search/tables.ts';
import type { SearchBinding } from '../../domain/cursor.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { liveStatement, type tablesOf } from '../live-tables.ts';
import { type ComposedQuery, composeQuery } from './composed-query.ts';
import { type Highlight, highlightsOf } from './excerpt-part.ts';
import { placeUnits, type TypedPlace } from './place-units.ts';
import type { ReadWords } from './question/read-question.ts';
import type { SearchQuery, Unit } from './search-query.ts';
import type { PeriodCounts } from './search-windows.ts';

/** Facts about a query that a search needs before it reads items. */
export interface SearchContext extends ComposedQuery {
  /** Words that excerpts show, the best first. */
  readonly highlights: readonly Highlight[];
  /** Number of records by search term. */
  readonly records: Readonly<Record<string, number>>;
  /** Words that no record contains. */
  readonly unknown: readonly string[];
  /** Search terms of the words that name a jurisdiction. */
  readonly places: readonly string[];
  /** Query for the bodies of the places that the words name; null without one. */
  readonly preferredBodies: string | null;
  /** Query for the bodies that the words name with their place; null without one. */
  readonly namedBodies: string | null;
  /** Words that were read as bodies, which filter. */
  readonly readBodies: readonly ReadWords[];
  /** Words that were read as places, outcomes, districts or months, whose items come first. */
  readonly readPreferred: readonly ReadWords[];
  /** False while a version of the read model without amounts answers. */
  readonly hasAmounts: boolean;
  /**
   * Query for the bodies of the jurisdiction; empty if it has none, null if none was requested or its slug is unknown.
   */
  readonly bodies: string | null;
  /** Query for the topic; null if none was requested or its slug is unknown. */
  readonly topic: string | null;
  readonly periods: PeriodCounts;
}

const ENGLISH = `'pg_catalog.english'`;

type Tables = ReturnType<typeof tablesOf<typeof AGENDA_SEARCH>>;

/** Queries of the texts of each unit ($1), in the order of the units. */
const UNIT_QUERIES = `(
  select coalesce(json_agg(array(
    select q.query::text from jsonb_array_elements_text(u.texts) as t (text)
    cross join lateral websearch_to_tsquery(${ENGLISH}, t.text) as q (query) where numnode(q.query) > 0
  ) order by u.place), '[]')
  from jsonb_array_elements($1::jsonb) with ordinality as u (texts, place)
)`;

/** SQL of a name in words as they are typed: "City of St. Example" is "st example". */
const NAME_WORDS = String.raw`regexp_replace(
  trim(regexp_replace(civic.plain_text(lower(j.name)), '[.,]|''s?\M', '', 'g')), '^(city|town|village|county) of (the )?', '')`;

/** Jurisdictions whose whole name is part of the typed words ($5), with their bodies. */
const typedPlaces = ({ jurisdictions, bodies }: Tables): string => `(
  select coalesce(json_agg(json_build_object('name', p.name, 'words', p.words, 'bodies', (
    select coalesce(json_agg(json_build_object('id', b.body_id, 'name', b.name) order by b.body_id), '[]')
    from ${bodies} b where b.jurisdiction_id = p.jurisdiction_id
  )) order by p.jurisdiction_id), '[]')
  from (
    select j.jurisdiction_id, j.name, ${NAME_WORDS} as words from ${jurisdictions} j
    where string_to_array(translate(lower(j.name), '.,''', '   '), ' ') && string_to_array($5, ' ')
  ) p
  where p.words <> '' and position(' ' || p.words || ' ' in $5) > 0
)`;

/** The typed words ($2) that a search does not ignore, with the number of records that contain them. */
const typedWords = ({ words }: Tables): string => `(
  select coalesce(json_agg(json_build_object(
    'word', typed.word,
    'stem', s.stems[1],
    'records', (select sum(known.records) from ${words} known where known.stem = s.stems[1])
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
  }[];
  readonly places: readonly TypedPlace[];
  readonly hasAmounts: boolean;
}

const hasColumn = (table: string, column: string): string =>
  `exists (select from pg_attribute a where a.attrelid = '${table}'::regclass and a.attname = '${column}' and not a.attisdropped)`;

/** Words as they were typed, between spaces. Parts that are no plain words separate them. */
const typedLine = (units: readonly Unit[]): string => ` ${units.map(({ word }) => word ?? '"').join(' ')} `;

export async function readSearchContext(
  reads: LiveReads,
  { units, words: typed }: Pick<SearchQuery, 'units' | 'words'>,
  { jurisdictionSlug, topicSlug }: Pick<SearchBinding, 'jurisdictionSlug' | 'topicSlug'>,
): Promise<SearchContext> {
  const [row] = await reads.rows<{ context: ContextRow }>(
    liveStatement(AGENDA_SEARCH, {
      text: (tables) => `select json_build_object(
        'queries', ${UNIT_QUERIES},
        'words', ${typedWords(tables)},
        'bodies', ${bodiesOfJurisdiction(tables)},
        'topic', ${topicOfSlug(tables)},
        'periods', ${periodCounts(tables)},
        'places', ${typedPlaces(tables)},
        'hasAmounts', ${hasColumn(tables.entries, 'amount')}
      ) as context where ${tables.isLive}`,
      values: [
        JSON.stringify(units.map(({ texts }) => texts)),
        typed,
        jurisdictionSlug,
        topicSlug,
        // A requested jurisdiction is the only place.
        jurisdictionSlug === null ? typedLine(units) : '',
      ],
    }),
  );
  const { queries, words, bodies, topic, periods, places, hasAmounts } = row!.context;
  const frequencies = words.flatMap(({ stem, records }) => (records === null ? [] : [[stem, records] as const]));
  const placed = placeUnits(units, queries, places);
  const composed = composeQuery(placed.units, placed.queries);
  const isOther = (_: unknown, index: number): boolean => !placed.isPlace[index];
  const withoutPlaces = composeQuery(placed.units.filter(isOther), placed.queries.filter(isOther));
  return {
    ...composed,
    highlights: highlightsOf(withoutPlaces.anyWord === '' ? composed : withoutPlaces),
    records: Object.fromEntries(frequencies),
    unknown: words.filter(({ records }) => records === null).map(({ word }) => word),
    places: placed.lexemes,
    preferredBodies: placed.preferredBodies,
    namedBodies: placed.namedBodies,
    readBodies: placed.bodies,
    readPreferred: [...placed.places, ...placed.units.flatMap(readWordsOf)],
    bodies,
    topic,
    periods,
    hasAmounts,
  };
}

const readWordsOf = ({ meaning, typed, isExcluded }: Unit): readonly ReadWords[] =>
  meaning === null || isExcluded ? [] : [{ words: typed, meaning }];
