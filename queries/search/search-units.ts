import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { distance } from '../../domain/text/words.ts';
import { liveStatement } from '../live-tables.ts';
import { lexemesOf } from './composed-query.ts';
import type { SearchContext } from './search-context.ts';

export interface LenientUnit {
  /** Text in the syntax of `tsquery`. */
  readonly query: string;
  /**
   * Grows by one with each halving of the frequency of its words. Coarse, so that it seldom changes between two pages.
   */
  readonly weight: number;
  /** True if it names a jurisdiction. */
  readonly isPlace: boolean;
}

/** Parts that a lenient search considers: the rarest. */
const MAX_UNITS = 6;
/** Words of the longest name of a place. A query with more names several places, and no item belongs to two. */
const MAX_PLACE_UNITS = 3;
/**
 * The weighted parts of a query, at most six, in the order of the query. `records` has the number of records of some
 * words.
 */
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
  const placeUnits = ofPlaces.length > MAX_PLACE_UNITS ? [] : ofPlaces;
  const others = weighed
    .filter((unit) => !placeUnits.includes(unit))
    .toSorted((left, right) => right.weight - left.weight);
  const chosen = new Set([...placeUnits, ...others.slice(0, MAX_UNITS - placeUnits.length)]);
  return weighed.filter((unit) => chosen.has(unit)).map((unit) => ({ ...unit, isPlace: placeUnits.includes(unit) }));
}

/**
 * Queries for items that lack some of the parts, from the fewest to half of them. Each one is used if the previous ones
 * find nothing. The first ones require the named place and another part: a place is common, so it would otherwise be
 * the first part to drop.
 */
export function lenientQueries(units: readonly LenientUnit[]): readonly string[] {
  const [places, others] = [units.filter(({ isPlace }) => isPlace), units.filter(({ isPlace }) => !isPlace)];
  const half = Math.floor(units.length / 2);
  const withPlaces =
    places.length === 0
      ? []
      : countTo(Math.min(half, others.length - 1)).map((missing) => queryLacking(others, missing, places));
  return [...withPlaces, ...countTo(half).map((missing) => queryLacking(units, missing, []))];
}

const countTo = (last: number): readonly number[] => Array.from({ length: Math.max(0, last) }, (_, index) => index + 1);

/** Matches items that have all required parts, and lack at most this many of the others. */
function queryLacking(units: readonly LenientUnit[], missing: number, required: readonly LenientUnit[]): string {
  const parts = (of: readonly LenientUnit[]): readonly string[] => of.map(({ query }) => `( ${query} )`);
  return choices(parts(units), units.length - missing)
    .map((chosen) => `( ${[...parts(required), ...chosen].join(' & ')} )`)
    .join(' | ');
}

function choices(from: readonly string[], size: number): readonly (readonly string[])[] {
  if (size === 0) return [[]];
  return from.flatMap((first, index) => choices(from.slice(index + 1), size - 1).map((rest) => [first, ...rest]));
}

/** Number of near words that are compared with a misspelled one. */
const NEAR_WORDS = 20;
/** Number of words per query for which near words are looked up; each takes the database milliseconds. */
const MAX_MISSPELLED = 8;

export interface NearWord {
  readonly word: string;
  /**
   * True if the difference is a typing error. If not, another word might be intended, and this one is only suggested.
   */
  readonly isSlip: boolean;
}

/** A word of some record, with the number of records that contain it. */
interface KnownWord {
  readonly word: string;
  readonly records: number;
}

/** SQL: a word is not one of those that are left out of every search, such as "does". */
const isSearched = (word: string): string => `ts_lexize('pg_catalog.english_stem', ${word}) <> '{}'`;

/** Finds the nearest known word for each unknown word; null if there is none, and for words after the eighth. */
export async function findNearWords(
  reads: LiveReads,
  unknown: readonly string[],
): Promise<ReadonlyMap<string, NearWord | null>> {
  if (unknown.length === 0) return new Map();
  // A swap of two letters leaves few trigrams in common, so the near words of a short word do not include it.
  const misspelled = unknown.slice(0, MAX_MISSPELLED);
  const swaps = misspelled.flatMap((word) => swapNeighbors(word).map((other) => [word, other]));
  const rows = await reads.rows<KnownWord & { readonly misspelled: string }>(
    liveStatement(AGENDA_SEARCH, {
      text: ({ words, isLive }) => `select n.word, n.records, m.word as misspelled from unnest($1::text[]) as m (word)
      cross join lateral civic.near_words('${words}'::regclass, m.word, ${NEAR_WORDS}) n where ${isSearched('n.word')} and ${isLive}
      union all select w.word, w.records, s.word from unnest($2::text[], $3::text[]) as s (word, swapped) join ${words} w on w.word = s.swapped
      where ${isSearched('w.word')}`,
      values: [misspelled, swaps.map(([word]) => word!), swaps.map(([, swapped]) => swapped!)],
    }),
  );
  const rowsByWord = Map.groupBy(rows, ({ misspelled }) => misspelled);
  return new Map(unknown.map((word) => [word, nearestWord(word, rowsByWord.get(word) ?? [])]));
}

/** Returns the word with each pair of adjacent letters swapped. */
const swapNeighbors = (word: string): readonly string[] =>
  Array.from(
    { length: word.length - 1 },
    (_, at) => word.slice(0, at) + word[at + 1]! + word[at]! + word.slice(at + 2),
  );

/**
 * Returns the word that needs the fewest changes (the most frequent one of several), or null if all need too many.
 * Short words have many near words.
 */
export function nearestWord(unknown: string, words: readonly KnownWord[]): NearWord | null {
  const letters = unknown.length;
  const [near] = words
    .map(({ word, records }) => ({ word, records, far: distance(unknown, word) }))
    .toSorted(
      (left, right) => left.far - right.far || right.records - left.records || (left.word < right.word ? -1 : 1),
    );
  if (near === undefined || near.far > (letters < 6 ? 1 : letters < 10 ? 2 : 3)) return null;
  const isLikely = letters < 6 ? lettersOf(unknown) === lettersOf(near.word) : near.far <= (letters < 9 ? 1 : 2);
  return { word: near.word, isSlip: isLikely && near.word[0] === unknown[0] };
}

/** Returns a key that is equal for words that differ only in the order of their letters or in a doubled letter. */
const lettersOf = (word: string): string => word.replaceAll(/(.)\1/g, '$1').split('').toSorted().join('');
