import { anyOf } from '../text/patterns.ts';
import type { TextLine } from './text-line.ts';

export type CountStyle = 'decimal' | 'upper' | 'lower' | 'upperRoman' | 'lowerRoman' | 'bullet';

export interface Count {
  readonly style: CountStyle;
  readonly value: number;
}

/** The number or bullet at the beginning of a line. */
export interface Label {
  /** The label as agendas cite it, without marks around it: "4", "4.A", "D1"; empty for a bullet. */
  readonly number: string;
  /** The parts before the last one: "4" of "4.A"; empty for a number with one part, and for "4.0". */
  readonly prefix: string;
  /** The prefix of the numbers below this one: "4" for "4" and "4.0". */
  readonly stem: string;
  /** Possible meanings of the last part: "I" is a letter and a numeral. */
  readonly counts: readonly Count[];
  /** Marks around the number, which numbers of one list share. */
  readonly mark: string;
  /** Characters of the line that the label takes. */
  readonly length: number;
}

/** Characters of a line in which a label is looked for. */
const MAX_LABEL = 40;

const ATOM = anyOf(String.raw`\d{1,3}`, '[A-Z]{1,2}', '[IVXLC]{3,7}', '[a-z]{1,2}', '[ivxlc]{3,7}');
const BETWEEN = anyOf('[.-]', String.raw`(?<=[A-Za-z])(?=\d)`, String.raw`(?<=\d)(?=[A-Z])`);
const NUMBER = `${ATOM}(?:${BETWEEN}${ATOM}){0,3}`;
const WORD = String.raw`(?:(?:agenda )?item(?: no\.?| number)? ?#? ?|#|no\. ?)`;
/** "1.", "4.A.", "D1.", "3a.", "A)", "III.", "1.)", "1 - ". */
const MARKED = new RegExp(
  String.raw`^(${NUMBER}|\d{1,2}[a-z])(\s?[.):]{1,2}-?|\s[–—-](?=\s))(?=\s|$|\p{Lu}|[“"(*])`,
  'u',
);
/** "(a)", "(12)". */
const BRACKETED = new RegExp(String.raw`^\(\s?(${ATOM})\s?\)[.:]?(?=\s|$|\p{Lu})`, 'u');
/** "2.1 Title", "A-1 Title": a number with parts needs no mark. */
const COMPOSED = new RegExp(String.raw`^(${ATOM}(?:${BETWEEN}${ATOM}){1,3})(?=\s+\S)`);
/** "2.1" in a separate paragraph, before that of the title. */
const ALONE = new RegExp(`^(${ATOM}(?:${BETWEEN}${ATOM}){1,3})\\s*$`);
/** "ITEM 1: Title", "#3 Title". */
const NAMED = new RegExp(String.raw`^${WORD}(${NUMBER})\s?[.):–—-]*(?=\s|$)`, 'i');
const BULLET = /^[•●○◦▪■□▫◆◊➢➤❖✓*·–—o-](?=\s+\S)/;

const ROMAN_DIGITS: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
const ROMAN = /^(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/;

function romanValue(text: string): number | null {
  const small = text.toLowerCase();
  if (small === '' || !ROMAN.test(small)) return null;
  const digits = small.split('').map((digit) => ROMAN_DIGITS[digit]!);
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}

/** "A" is 1, "Z" 26, "AA" 27. */
function letterValue(text: string): number | null {
  const small = text.toLowerCase();
  if (small.length > 2 || (small.length === 2 && small[0] !== small[1])) return null;
  return small.charCodeAt(0) - 96 + 26 * (small.length - 1);
}

function countsOf(atom: string): readonly Count[] {
  if (/^\d/.test(atom)) return [{ style: 'decimal', value: Number(atom) }];
  const isUpper = atom === atom.toUpperCase();
  const [letter, roman] = [letterValue(atom), romanValue(atom)];
  return [
    ...(letter === null ? [] : [{ style: isUpper ? 'upper' : 'lower', value: letter } as const]),
    ...(roman === null ? [] : [{ style: isUpper ? 'upperRoman' : 'lowerRoman', value: roman } as const]),
  ];
}

const LAST_PART = /(?:(?<![\d])\d+|(?<![A-Za-z])[A-Za-z]+)$/;

/** "1.0", "2.00": numbers of an outer list, over "1.1" and "2.01". */
const ROUND = /^(\d{1,3})\.0{1,2}$/;

function labelOf(number: string, mark: string, length: number): Label | null {
  const round = ROUND.exec(number)?.[1];
  if (round !== undefined) return { number, prefix: '', stem: round, counts: countsOf(round), mark: '.0', length };
  const atom = LAST_PART.exec(number)?.[0] ?? number;
  const counts = countsOf(atom);
  const prefix = number.slice(0, number.length - atom.length).replace(/[.-]$/, '');
  return counts.length === 0 ? null : { number, prefix, stem: number, counts, mark, length };
}

/** A number alone in its column needs no mark: "1      Call to Order". */
function columnLabel({ runs, size }: TextLine): Label | null {
  const [first, second] = runs;
  if (first === undefined || second === undefined || second.x - first.right < size) return null;
  const number = /^(?:\d{1,2}|[A-Z]|[IVX]{2,5})$/.exec(first.text.trim())?.[0];
  return number === undefined ? null : labelOf(number, ' ', first.text.length);
}

/** Returns the number or bullet at the beginning of a line, or null. */
export function readLabel(line: TextLine): Label | null {
  const text = line.text.slice(0, MAX_LABEL);
  const start = text.length - text.trimStart().length;
  const own = text.slice(start);
  const bullet = BULLET.exec(own);
  if (bullet !== null)
    return {
      number: '',
      prefix: '',
      stem: '',
      counts: [{ style: 'bullet', value: 1 }],
      mark: bullet[0],
      length: start + 1,
    };
  const marked = MARKED.exec(own);
  if (marked !== null) return labelOf(marked[1]!, marked[2]!.trim()[0]!, start + marked[0].length);
  const bracketed = BRACKETED.exec(own);
  if (bracketed !== null) return labelOf(bracketed[1]!, '()', start + bracketed[0].length);
  const named = NAMED.exec(own);
  if (named !== null) return labelOf(named[1]!, 'item', start + named[0].length);
  const composed = COMPOSED.exec(own);
  if (composed !== null) return labelOf(composed[1]!, '', start + composed[0].length);
  const alone = line.isParagraph ? ALONE.exec(own) : null;
  if (alone !== null) return labelOf(alone[1]!, '', start + alone[0].length);
  return columnLabel(line);
}
