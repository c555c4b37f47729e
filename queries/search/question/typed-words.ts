/** A word of a query with its place in the text. */
export interface TypedWord {
  /** Lower case, without punctuation at its ends; empty for a quoted part and for an excluded word. */
  readonly word: string;
  readonly isPossessive: boolean;
  readonly from: number;
  readonly to: number;
}

const PART = /-*"[^"]*"?|[^\s"]+/g;
const OPENING = /^[([{]+/;
export const CLOSING = /(?<![)\]}.,;:!?])[)\]}.,;:!?]+$/;
const POSSESSIVE = /['’]s?$/;

export function typedWords(text: string): readonly TypedWord[] {
  return [...text.matchAll(PART)].map(({ 0: part, index }) => {
    const plain = /^-|"/.test(part) ? '' : part.toLowerCase().replace(OPENING, '').replace(CLOSING, '');
    const word = plain.replace(POSSESSIVE, '');
    return { word, isPossessive: word !== plain, from: index, to: index + part.length };
  });
}

/** Returns a word of the query; empty beyond its ends. */
export const wordAt = (words: readonly TypedWord[], at: number): string => words[at]?.word ?? '';
