import type { Unit } from './search-query.ts';

/** Queries are texts in the syntax of `tsquery`. */
export interface ComposedQuery {
  /** Empty if no word can be searched. */
  readonly query: string;
  /** Matches any word of the query; ignores marks. */
  readonly anyWord: string;
  /** The parts that an item must have; none for a query with OR or minus. */
  readonly units: readonly string[];
  /** Neighboring words of the query. Each pair that an item contains side by side raises its rank. */
  readonly pairs: readonly string[];
  /** Words as they were typed, each in singular and plural, for the forms of an entry. Each raises the rank. */
  readonly exact: readonly string[];
  /** Marks that are preferred to the words they stand for. Each raises the rank. */
  readonly preferred: readonly string[];
}

const MAX_PAIRS = 8;
const MAX_EXACT = 8;
/** Alternatives of a word that are looked up with its neighbors. */
const MAX_SPELLINGS = 3;
export const LEXEME = /'((?:[^'\\]|''|\\\\)+)'/g;

/** Returns the lexemes of a query as PostgreSQL quotes them. */
const quotedLexemes = (query: string): readonly string[] => query.match(LEXEME) ?? [];

export const lexemesOf = (query: string): readonly string[] =>
  [...query.matchAll(LEXEME)].map(([, lexeme]) => lexeme!.replaceAll("''", "'").replaceAll('\\\\', '\\'));

interface Part extends Unit {
  /** Null if no word of the unit can be searched. */
  readonly query: string | null;
}

/** Composes one query of the units of a search. `parsed` has the queries that PostgreSQL made of each unit's texts. */
export function composeQuery(units: readonly Unit[], parsed: readonly (readonly string[])[]): ComposedQuery {
  const isSearched = (index: number): boolean => parsed[index]!.length > 0 || units[index]!.marks.length > 0;
  // A search for dates alone wants the meetings of those days, not the words of the dates.
  const isDatesOnly = units.every(({ isDate }, index) => isDate || !isSearched(index));
  const queriesOf = (index: number): readonly string[] => (isDatesOnly ? [] : parsed[index]!);
  const parts = units.map((unit, index): Part => {
    const marks = unit.marks.map((mark) => `'${mark}'`);
    return { ...unit, query: joinAlternatives([...queriesOf(index), ...marks]) };
  });
  const hasOperator = units.some(({ isExcluded, isAlternative }) => isExcluded || isAlternative);
  const lexemes = new Set(units.flatMap((_, index) => queriesOf(index).flatMap(quotedLexemes)));
  return {
    query: joinParts(parts),
    anyWord: [...lexemes].toSorted().join(' | '),
    units: hasOperator ? [] : parts.flatMap(({ query }) => query ?? []),
    pairs: pairQueries(units, queriesOf),
    exact: exactWords(units, queriesOf),
    preferred: units.flatMap(({ marks, meaning, isExcluded }) =>
      meaning === null || isExcluded || isDatesOnly ? [] : [quoteMarks(marks)],
    ),
  };
}

const quoteMarks = (marks: readonly string[]): string => marks.map((mark) => `'${mark}'`).join(' | ');

function joinAlternatives(queries: readonly string[]): string | null {
  if (queries.length === 0) return null;
  return queries.length === 1 ? queries[0]! : `( ${queries.join(' ) | ( ')} )`;
}

function joinParts(parts: readonly Part[]): string {
  let joined = '';
  for (const { query, isExcluded, isAlternative } of parts) {
    if (query === null) continue;
    const operator = joined === '' ? '' : isAlternative ? ' | ' : ' & ';
    joined += `${operator}${isExcluded ? '!' : ''}( ${query} )`;
  }
  return joined;
}

type QueriesOf = (index: number) => readonly string[];

function pairQueries(units: readonly Unit[], queriesOf: QueriesOf): readonly string[] {
  const words = units.map(({ texts, isExcluded, isAlternative }, index) =>
    texts.length > 0 && texts.length <= MAX_SPELLINGS && !isExcluded && !isAlternative
      ? joinAlternatives(queriesOf(index))
      : null,
  );
  const pairs = words.flatMap((word, index) => {
    const before = words[index - 1] ?? null;
    return word === null || before === null ? [] : [`( ${before} ) <-> ( ${word} )`];
  });
  return pairs.slice(0, MAX_PAIRS);
}

function exactWords(units: readonly Unit[], queriesOf: QueriesOf): readonly string[] {
  const words = units.flatMap(({ word, texts, meaning, isExcluded }, index) => {
    const isPlain = texts.length === 1 && meaning === null && !isExcluded && queriesOf(index).length > 0;
    return word === null || !isPlain ? [] : [word];
  });
  return [...new Set(words)].slice(0, MAX_EXACT).map((word) =>
    singularAndPlural(word)
      .map((form) => `'${form}'`)
      .join(' | '),
  );
}

/** Returns a word with its plural or singular: the same word to people who search. */
function singularAndPlural(word: string): readonly string[] {
  if (!/^\p{L}{3,}$/u.test(word)) return [word];
  if (word.endsWith('ies')) return [word, `${word.slice(0, -3)}y`];
  if (/(?:[sxz]|[cs]h)es$/.test(word)) return [word, word.slice(0, -2), word.slice(0, -1)];
  if (/[^s]s$/.test(word)) return [word, word.slice(0, -1)];
  if (/[^aeiou]y$/.test(word)) return [word, `${word.slice(0, -1)}ies`];
  return [word, /(?:[sxz]|[cs]h)$/.test(word) ? `${word}es` : `${word}s`];
}
