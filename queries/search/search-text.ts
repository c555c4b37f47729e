import { plainText, spellableWords } from '../../domain/search-words.ts';

/** A query as it was typed, made ready for the database. */
export interface SearchText {
  /** What `websearch_to_tsquery` is given. */
  readonly text: string;
  /** The words that may be misspelt. */
  readonly words: readonly string[];
  /** Words and quoted phrases, any of which may be missing where no item has all; empty for who uses OR or minus and so means what it says. */
  readonly units: readonly string[];
}

// oxlint-disable-next-line no-control-regex
const NO_TEXT = /[\0\ufffd]/g;
const CURLY_QUOTES = /[“”„‟″]/g;
/** Each would be one more level of the query, and the database allows few. */
const MANY_MINUSES = /-(?:\s*-)+/g;
const UNIT = /"[^"]*"?|[^\s"]+/g;
const OPERATOR = /^(?:or|-.*)$/i;

/** Pure. What is no text (U+0000 and lone surrogates) separates words. */
export function searchText(query: string): SearchText {
  const text = plainText(query.toWellFormed().replaceAll(NO_TEXT, ' ')).replaceAll(CURLY_QUOTES, '"').replaceAll(MANY_MINUSES, '-');
  const units = text.match(UNIT) ?? [];
  return {
    text,
    words: [...spellableWords(text)],
    units: units.some((unit) => OPERATOR.test(unit)) ? [] : units,
  };
}
