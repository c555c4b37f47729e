import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { distance } from '../../domain/words.ts';
import { liveRows } from '../live-tables.ts';
import type { PeriodCounts } from './search-windows.ts';

interface LenientUnit {
  /** As the database writes queries. */
  readonly query: string;
  /** In the rank: one more for each halving of the frequency of its words. Coarse, so that it seldom changes between two pages. */
  readonly weight: number;
}

/** Of more parts, the commonest are left out. */
const MAX_UNITS = 6;
const LEXEME = /'((?:[^'\\]|''|\\\\)+)'/g;

/** Met by any word of a query; empty where it has none. */
export const anyWordOf = (query: string): string => [...new Set(query.match(LEXEME))].join(' | ');

const lexemesOf = (query: string): readonly string[] =>
  [...query.matchAll(LEXEME)].map(([, lexeme]) => lexeme!.replaceAll("''", "'").replaceAll('\\\\', '\\'));

/** The weighted parts of a query, at most six, in the order of the query. Parts without a word are left out. */
export async function lenientUnits(reads: LiveReads, units: readonly string[], periods: PeriodCounts): Promise<readonly LenientUnit[]> {
  const parts = [...new Set(units)].filter((query) => query !== '').map((query) => ({ query, lexemes: lexemesOf(query) }));
  if (parts.length < 2) return [];
  const stems = parts.flatMap(({ lexemes }) => lexemes);
  const rows = await liveRows(reads, AGENDA_SEARCH, {
    text: ({ words, isLive }) =>
      `select w.stem, sum(w.records) from ${words} w where w.stem = any ($1::text[]) and ${isLive} group by w.stem`,
    values: [stems],
  });
  const records = new Map(rows.map(([stem, number]) => [stem!, Number(number)]));
  const all = periods.reduce((sum, [, entries]) => sum + entries, 1);
  const weighed = parts.map(({ query, lexemes }) => {
    const known = lexemes.map((lexeme) => records.get(lexeme)).filter((number) => number !== undefined);
    // Numbers are not counted as words: each is rare.
    const rarest = known.length === 0 ? 1 : Math.min(...known);
    return { query, weight: Math.max(1, Math.round(Math.log2((all + 1) / (rarest + 0.5)))) };
  });
  const least = weighed.map(({ weight }) => weight).toSorted((left, right) => right - left)[MAX_UNITS - 1] ?? 0;
  return weighed.filter(({ weight }) => weight >= least).slice(0, MAX_UNITS);
}

/** Of the parts of a query, half may be missing. */
export const maxMissing = (units: number): number => Math.floor(units / 2);

/** Matches items that lack at most so many of the parts. */
export const queryLacking = (units: readonly LenientUnit[], missing: number): string =>
  choices(
    units.map(({ query }) => `( ${query} )`),
    units.length - missing,
  )
    .map((chosen) => `( ${chosen.join(' & ')} )`)
    .join(' | ');

function choices(from: readonly string[], size: number): readonly (readonly string[])[] {
  if (size === 0) return [[]];
  return from.flatMap((first, index) => choices(from.slice(index + 1), size - 1).map((rest) => [first, ...rest]));
}

/** Words near a misspelt one that are compared with it, and of which it may be replaced by so many. */
const [NEAR_WORDS, MAX_NEAR] = [20, 3];

/** Misspelt words, each with the nearest that some record has; a word without any is left out. */
export async function nearOnes(reads: LiveReads, misspelt: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  if (misspelt.length === 0) return new Map();
  const rows = await liveRows(reads, AGENDA_SEARCH, {
    text: ({ words, isLive }) => `select m.word, n.word, n.records from unnest($1::text[]) as m (word)
      cross join lateral civic.near_words('${words}'::regclass, m.word, ${NEAR_WORDS}) n where ${isLive}`,
    values: [misspelt],
  });
  const known = Map.groupBy(rows, ([word]) => word!);
  const near = misspelt.map((word): [string, readonly string[]] => {
    const words = (known.get(word) ?? []).map(([, each, records]) => ({ word: each!, records: Number(records) }));
    return [word, nearestWords(word, words)];
  });
  return new Map(near.filter(([, words]) => words.length > 0));
}

/** The nearest of the words, at most three: those that take the fewest changes, the commonest first. None where all are too far. */
export function nearestWords(misspelt: string, words: readonly { readonly word: string; readonly records: number }[]): readonly string[] {
  const maxDistance = misspelt.length < 6 ? 1 : misspelt.length < 10 ? 2 : 3;
  const near = words.map((known) => ({ ...known, far: distance(misspelt, known.word) })).filter(({ far }) => far <= maxDistance);
  const nearest = Math.min(...near.map(({ far }) => far));
  return near
    .filter(({ far }) => far === nearest)
    .toSorted((left, right) => right.records - left.records || (left.word < right.word ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ word }) => word);
}
