import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import type { TextRow } from '../../domain/ports/database.ts';
import { distance } from '../../domain/words.ts';
import { liveRows } from '../live-tables.ts';
import type { SearchContext } from './search-context.ts';

export interface LenientUnit {
  /** As the database writes queries. */
  readonly query: string;
  /** In the rank: one more for each halving of the frequency of its words. Coarse, so that it seldom changes between two pages. */
  readonly weight: number;
  /** Whether it names a jurisdiction. */
  readonly isPlace: boolean;
}

/** Of more parts, the commonest are left out. */
const MAX_UNITS = 6;
/** The longest name of a place has so many words. A query with more of them names several places, and no item is of two. */
const MAX_PLACE_UNITS = 3;
const LEXEME = /'((?:[^'\\]|''|\\\\)+)'/g;

const lexemesOf = (query: string): readonly string[] =>
  [...query.matchAll(LEXEME)].map(([, lexeme]) => lexeme!.replaceAll("''", "'").replaceAll('\\\\', '\\'));

/** The weighted parts of a query, at most six, in the order of the query. `records` has the number of records of some words. */
export function lenientUnits(
  units: readonly string[],
  { records, periods, places }: Pick<SearchContext, 'records' | 'periods' | 'places'>,
): readonly LenientUnit[] {
  const all = periods.reduce((sum, [, entries]) => sum + entries, 1);
  const weighed = [...new Set(units)].map((query) => {
    const lexemes = lexemesOf(query);
    // Numbers, short words and synonyms are not counted: each is rare.
    const rarest = Math.min(...lexemes.map((lexeme) => (Object.hasOwn(records, lexeme) ? records[lexeme]! : all)));
    const weight = Math.max(1, Math.round(Math.log2((all + 1) / ((rarest === all ? 1 : rarest) + 0.5))));
    return { query, weight, isPlace: lexemes.length > 0 && lexemes.every((lexeme) => places.includes(lexeme)) };
  });
  const ofPlaces = weighed.filter(({ isPlace }) => isPlace);
  const named = ofPlaces.length > MAX_PLACE_UNITS ? [] : ofPlaces;
  const others = weighed.filter((unit) => !named.includes(unit)).toSorted((left, right) => right.weight - left.weight);
  const kept = new Set([...named, ...others.slice(0, MAX_UNITS - named.length)]);
  return weighed.filter((unit) => kept.has(unit)).map((unit) => ({ ...unit, isPlace: named.includes(unit) }));
}

/**
 * Queries for items that lack some of the parts, from the fewest to half of them; each is for where those before it find nothing. At first an
 * item must be of the place that is named and have another part: a place is common, and so would be the first part to be left out.
 */
export function lenientQueries(units: readonly LenientUnit[]): readonly string[] {
  const [places, others] = [units.filter(({ isPlace }) => isPlace), units.filter(({ isPlace }) => !isPlace)];
  const half = Math.floor(units.length / 2);
  const there = places.length === 0 ? [] : upTo(Math.min(half, others.length - 1)).map((missing) => lacking(others, missing, places));
  return [...there, ...upTo(half).map((missing) => lacking(units, missing, []))];
}

const upTo = (last: number): readonly number[] => Array.from({ length: Math.max(0, last) }, (_, index) => index + 1);

/** Matches items that have all the required parts, and lack at most so many of the others. */
function lacking(units: readonly LenientUnit[], missing: number, required: readonly LenientUnit[]): string {
  const parts = (of: readonly LenientUnit[]): readonly string[] => of.map(({ query }) => `( ${query} )`);
  return choices(parts(units), units.length - missing)
    .map((chosen) => `( ${[...parts(required), ...chosen].join(' & ')} )`)
    .join(' | ');
}

function choices(from: readonly string[], size: number): readonly (readonly string[])[] {
  if (size === 0) return [[]];
  return from.flatMap((first, index) => choices(from.slice(index + 1), size - 1).map((rest) => [first, ...rest]));
}

/** Of the words near a misspelt one so many are compared with it. */
const NEAR_WORDS = 20;
/** For so many words of a query near ones are looked for, each of which takes the database milliseconds. */
const MAX_MISSPELT = 8;

export interface NearWord {
  readonly word: string;
  /** The difference is a slip of the keys; else another word may be meant, and this one is only named. */
  readonly isSlip: boolean;
}

/** SQL: a word is not one of those that are left out of every search, such as "does". */
const isSearched = (word: string): string => `ts_lexize('pg_catalog.english_stem', ${word}) <> '{}'`;

/** Words that no record has, each with the nearest that some record has; null where there is none, and for those after the eighth. */
export async function nearOnes(reads: LiveReads, unknown: readonly string[]): Promise<ReadonlyMap<string, NearWord | null>> {
  if (unknown.length === 0) return new Map();
  // Two swapped letters leave few groups of three letters in common: near words of a short word miss it.
  const misspelt = unknown.slice(0, MAX_MISSPELT);
  const swaps = misspelt.flatMap((word) => swapped(word).map((other) => [word, other]));
  const rows = await liveRows(reads, AGENDA_SEARCH, {
    text: ({ words, isLive }) => `select n.word, n.records, m.word from unnest($1::text[]) as m (word)
      cross join lateral civic.near_words('${words}'::regclass, m.word, ${NEAR_WORDS}) n where ${isSearched('n.word')} and ${isLive}
      union all select w.word, w.records, s.word from unnest($2::text[], $3::text[]) as s (word, swapped) join ${words} w on w.word = s.swapped
      where ${isSearched('w.word')}`,
    values: [misspelt, swaps.map(([word]) => word!), swaps.map(([, swapped]) => swapped!)],
  });
  const known = Map.groupBy(rows, (row) => row[2]!);
  return new Map(unknown.map((word) => [word, nearestWord(word, known.get(word) ?? [])]));
}

/** The word with each two neighbours swapped. */
const swapped = (word: string): readonly string[] =>
  Array.from({ length: word.length - 1 }, (_, at) => word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2));

/** The word that takes the fewest changes, the commonest of several; null where all are too far. Short words have many neighbours. */
export function nearestWord(unknown: string, words: readonly TextRow[]): NearWord | null {
  const letters = unknown.length;
  const [near] = words
    .map(([word, records]) => ({ word: word!, records: Number(records), far: distance(unknown, word!) }))
    .toSorted((left, right) => left.far - right.far || right.records - left.records || (left.word < right.word ? -1 : 1));
  if (near === undefined || near.far > (letters < 6 ? 1 : letters < 10 ? 2 : 3)) return null;
  const isLikely = letters < 6 ? lettersOf(unknown) === lettersOf(near.word) : near.far <= (letters < 9 ? 1 : 2);
  return { word: near.word, isSlip: isLikely && near.word[0] === unknown[0] };
}

/** Equal for words that differ by the order of letters or a doubled one. */
const lettersOf = (word: string): string => word.replaceAll(/(.)\1/g, '$1').split('').toSorted().join('');
