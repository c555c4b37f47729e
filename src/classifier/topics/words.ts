/** A word of a text: its form without case and ending, and its place in UTF-16 code units. */
export interface Word {
  readonly stem: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the singular of a plural in lower case, so that "permits" is `permit`; not a stem: "park" is not "parking". */
export function stemOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us')) return word;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

const WORD = /[$§]|\d[\d,.]*\d|\d|\p{L}+(?:['’](?=s\b))?/gu;
const NUMBER = '0';

/** Returns the words of a text in order. Numbers are one form, as a number names no topic. */
export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    stem: /^\d/.test(word) && !isNamedNumber(word) ? NUMBER : stemOf(word.toLowerCase().replace(/['’]$/, '')),
    start: index,
    end: index + word.length,
  }));
}

/** Numbers that are names: the emergency call, chapters on incentives, sections on closed sessions. */
const NAMED_NUMBERS = new Set(['911', '380', '381', '312', '551.071', '551.072', '551.074', '551.087', '54956']);
const isNamedNumber = (word: string): boolean => NAMED_NUMBERS.has(word);
