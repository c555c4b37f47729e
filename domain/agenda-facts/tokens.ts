import { pattern } from '../text/patterns.ts';
import { wordSet } from '../text/words.ts';

export interface Token {
  readonly text: string;
  /** Lower case, without periods and with straight apostrophes: "l.l.c." is "llc". */
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly kind: 'word' | 'number' | 'money' | 'mark';
  readonly isCapital: boolean;
}

/** One field of an item as tokens. */
export interface Reading {
  readonly field: 'title' | 'text';
  readonly source: string;
  readonly tokens: readonly Token[];
}

/** "$1,234.50". */
const MONEY = String.raw`\$\s?\d+(?:,\d{3})*(?:\.\d+)?`;
/** "D/B/A", "F/K/A", "and/or": other words with a slash are two. */
const SLASHED = String.raw`(?:and\/or|[dfnap]\/[kbo](?:\/a)?)(?![\p{L}\p{N}])`;
/** "12.5", "1,200", "43rd", "Oak's", "AT&T", "Z-12-3", "L.L.C". */
const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:(?:['’&.]|-{1,2}|,(?=\d{3}(?!\d)))[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*`;
const PART = pattern('giu', MONEY, '|', SLASHED, '|', WORD, String.raw`|[^\s]`);
const ABBREVIATIONS = wordSet(`
  st ave blvd rd dr ln ct cir pkwy hwy fwy pl ter inc incorp ltd co corp bros no nos mr mrs ms jr sr rev sgt ste
  apt bldg ft mt n s e w ne nw se sw ph sec lp llc llp pllc vs v u.s i.h f.m s.h assoc univ dept
`);
const LETTERS_WITH_PERIODS = /^\p{L}(?:\.\p{L})+$/u;
const NUMBER = /^\d[\d,]*(?:\.\d+)?$/;

function endOf(source: string, text: string, end: number): number {
  if (source[end] !== '.') return end;
  const isShort = ABBREVIATIONS.has(text.toLowerCase()) || LETTERS_WITH_PERIODS.test(text) || /^\p{Lu}$/u.test(text);
  return isShort ? end + 1 : end;
}

function kindOf(text: string): Token['kind'] {
  if (text.length > 1 && text.startsWith('$')) return 'money';
  if (NUMBER.test(text)) return 'number';
  return /^[\p{L}\p{N}]/u.test(text) ? 'word' : 'mark';
}

/** Tokens that are read of one field. The facts of longer texts are in their beginning. */
const MAX_TOKENS = 4_000;

/** Divides the beginning of a text into words, numbers, amounts and marks. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  PART.lastIndex = 0;
  for (let match = PART.exec(source); match !== null && tokens.length < MAX_TOKENS; match = PART.exec(source)) {
    const start = match.index;
    const end = endOf(source, match[0], start + match[0].length);
    PART.lastIndex = end;
    const text = source.slice(start, end);
    const word = text.length > 1 ? text.toLowerCase().replaceAll('.', '').replaceAll('’', "'") : text.toLowerCase();
    tokens.push({ text, word, start, end, kind: kindOf(match[0]), isCapital: /^\p{Lu}/u.test(text) });
  }
  return tokens;
}

const SOURCES_OF_MONEY = new Set(['financing', 'funding', 'fund', 'source', 'sources']);

/** The tokens before "Financing: General Fund ($1,000)", which names no new fact. */
function withoutFinancing(tokens: readonly Token[]): readonly Token[] {
  const end = tokens.findIndex(({ word }, at) => SOURCES_OF_MONEY.has(word) && tokens[at + 1]?.text === ':');
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** Reads the beginning of a field as tokens, without its funding clause. */
export function readingOf(field: Reading['field'], source: string): Reading {
  return { field, source, tokens: withoutFinancing(tokensOf(source)) };
}

const STOPS = new Set(['.', ';', '!', '?']);
export const isStop = (token: Token | undefined): boolean => token === undefined || STOPS.has(token.text);

/** The lower-case words of `tokens[from..to)`, with a space before and after each, to look for phrases in. */
export function phraseText(tokens: readonly Token[], from: number, to: number): string {
  let text = ' ';
  for (let at = Math.max(0, from); at < Math.min(to, tokens.length); at++) text += `${tokens[at]!.word} `;
  return text;
}

/** The source of the tokens from `from` through `to`, as the part of a fact that quotes it. */
export function quote({ field, source, tokens }: Reading, from: number, to: number) {
  const offset = tokens[from]!.start;
  return { field, offset, sourceText: source.slice(offset, tokens[to]!.end) };
}

/** The phrases of a list that is separated by commas, each as `phraseText` writes it. */
export const phraseList = (list: string): string[] => list.trim().replaceAll(/\s+/g, ' ').split(', ');

export const hasWord = (token: Token | undefined, words: string): boolean =>
  token !== undefined && ` ${words} `.includes(` ${token.word} `);
