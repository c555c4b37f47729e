import type { Unit } from './search-query.ts';

/** Queries are texts in the syntax of `tsquery`. */
export interface ComposedQuery {
  /** Empty if no word can be searched. */
  readonly query: string;
  /** Matches any word of the query; ignores marks. */
  readonly anyWord: string;
  /** The parts that an item must have; none for a query with OR or minus. */
  readonly units: readonly string[];
  /** Neighboring words of the query. Each pair that an item contains side by side adds its rank once more. */
  readonly pairs: readonly string[];
}

const MAX_PAIRS = 8;
const LEXEME = /'((?:[^'\\]|''|\\\\)+)'/g;

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
    pairs: pairParts(parts),
  };
}

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

function pairParts(parts: readonly Part[]): readonly string[] {
  const words = parts.map(({ query, texts, isExcluded, isAlternative }) =>
    texts.length === 1 && !isExcluded && !isAlternative ? query : null,
  );
  const pairs = words.flatMap((word, index) => {
    const before = words[index - 1] ?? null;
    return word === null || before === null ? [] : [`( ${before} ) <-> ( ${word} )`];
  });
  return pairs.slice(0, MAX_PAIRS);
}
