import { plainText, spellableWords } from '../src/domain/search-words.ts';

/** A query as it was typed, made ready for the database. */
export interface SearchText {
  /** What `websearch_to_tsquery` is given. */
  readonly text: string;
  /** The words that may be misspelt. */
  readonly words: readonly string[];
  /** Words and quoted phrases, any of which may be missing where no item has all; empty for who uses OR or minus and so means what it says. */
  readonly units: readonly string[];
}

const CURLY_QUOTES = /[“”„‟″]/g;
const UNIT = /"[^"]*"?|[^\s"]+/g;
const OPERATOR = /^(?:or|-.*)$/i;

/** Pure. U+0000, which the database takes in no text, separates words. */
export const searchText = (query: string): SearchText => {
  const text = plainText(query.toWellFormed().replaceAll('\0', ' ')).replaceAll(CURLY_QUOTES, '"');
  const units = text.match(UNIT) ?? [];
  return {
    text,
    words: [...spellableWords(text)],
    units: units.some((unit) => OPERATOR.test(unit)) ? [] : units,
  };
};
