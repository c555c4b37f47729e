import { derivedId } from '../identifiers.ts';

/**
 * A text as the words that it is made of: lower case, without accents and punctuation. Two titles of the same words are
 * the same title.
 */
export const titleWords = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words of a list that is separated by white space. */
export const wordSet = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** True for a word of `titleWords` that begins with a digit: "12", "1st". */
export const isNumberWord = (word: string): boolean => /^\d/.test(word);

/** The words as a fixed-size key for an index; null for a text without any. */
export function titleKey(text: string): string | null {
  const words = titleWords(text);
  return words.length === 0 ? null : derivedId('title', words.join(' '));
}

/** Number of characters of a text that a search reads. */
export const SEARCHED_LENGTH = 60_000;
const MARKS = /[\u0300-\u036f]+/g;
const WORD = /(?<![\p{L}\p{N}])\p{L}{4,30}(?![\p{L}\p{N}])/gu;
/** Does the same for a text of ASCII characters at half the cost. */
const ASCII_WORD = /(?<![a-z0-9])[a-z]{4,30}(?![a-z0-9])/g;
// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/** Removes accents and ligatures. The SQL function `plain_text` does the same. */
export function unaccented(text: string): string {
  if (isAscii(text)) return text;
  return text.toWellFormed().normalize('NFKD').replaceAll(MARKS, '').normalize('NFC');
}

/** Marks that the text parser of PostgreSQL treats as letters, with their replacements. */
export const CURLY = { from: '“”„‟″‘’«»¡¿‹›•·§¶', to: `"""""''""        ` } as const;
/** Dashes that are written for a hyphen. */
export const DASHES = { from: '‐‑‒–−', to: '-----' } as const;
const CURLY_MARK = new RegExp(`[${CURLY.from}]`, 'g');
export const straightQuotes = (text: string): string =>
  text.replaceAll(CURLY_MARK, (mark) => CURLY.to[CURLY.from.indexOf(mark)]!);

const DASH = new RegExp(`[${DASHES.from}]`, 'g');
/** Replaces each dash by a hyphen. */
export const plainDashes = (text: string): string => text.replaceAll(DASH, '-');

/**
 * Commas between thousands, and cents of zero: without them an amount is one number of the same value. Without a dollar
 * sign, a first group of three digits may begin a list: "Lots 101,102,103". The database applies them in the same order
 * and keeps the same groups.
 */
export const AMOUNT_SIGNS = [
  [String.raw`((?:^|[^\d,.])\d{1,2}|\$\d{1,3}),(\d{3})(?:,(\d{3}))?(?:,(\d{3}))?(?!\d)`, String.raw`\1\2\3\4`],
  [String.raw`(\d{4})\.00(?!\d)`, String.raw`\1`],
] as const;
const SIGNS = AMOUNT_SIGNS.map(([signs, groups]) => [new RegExp(signs, 'g'), groups.replaceAll('\\', '$')] as const);
/** Writes each amount as one number: "$1,200,000.00" as "$1200000". */
export const plainAmounts = (text: string): string =>
  SIGNS.reduce((plain, [signs, groups]) => plain.replaceAll(signs, groups), text);

/**
 * The distinct words of a text that a search can misspell: letters only, at least four, in lower case, in the order of
 * the text.
 */
export function spellableWords(text: string): ReadonlySet<string> {
  const plain = unaccented(text.slice(0, SEARCHED_LENGTH)).toLowerCase();
  return new Set(plain.match(isAscii(plain) ? ASCII_WORD : WORD));
}

/** Letters to insert, omit, replace or swap with the next one. */
export function distance(left: string, right: string): number {
  let [twoAbove, above]: [number[], number[]] = [[], Array.from({ length: right.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let least = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        least = Math.min(least, twoAbove[column - 2]! + 1);
      }
      current.push(least);
    }
    [twoAbove, above] = [above, current];
  }
  return above[right.length]!;
}

/**
 * Cuts a line to at most `max` characters, at the last space or, if none is near the end, between two grapheme
 * clusters.
 */
export function cutAfter(line: string, max: number): string {
  if (line.length <= max) return line;
  const space = line.lastIndexOf(' ', max);
  if (space > max / 2) return line.slice(0, space);
  let beginning = '';
  for (const { segment } of new Intl.Segmenter().segment(line.slice(0, 2 * max))) {
    if (beginning.length + segment.length > max) break;
    beginning += segment;
  }
  // A longer grapheme cluster is split between its code points.
  return beginning === '' ? line.slice(0, max).replace(/[\ud800-\udbff]$/, '') : beginning;
}
