import { anyOf } from '../../../domain/text/patterns.ts';
import { wordSet } from '../../../domain/text/words.ts';

/** Offsets in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Abbreviations that stand before a name or a number: "Rev. Example", "No. 5". */
const TITLES = wordSet(`
  no nos att attn mr mrs ms dr rev sgt lt capt cpt cpl col gen maj hon prof pres gov sen rep supt det dep ofc officer st ft mt vs v
  sec secs art ch dept ord res approx est fig vol pp pg p ste apt bldg blk sect n s e w ne nw se sw al dba aka i.e e.g etc
  jan feb mar apr jun jul aug sept sep oct nov dec ph.d m.d
`);
/** Abbreviations that stand behind a name, and might end a sentence. */
const ENDINGS = wordSet(`
  inc co corp ltd llc lp llp bros assn assoc jr sr esq ave blvd rd dr ln hwy pkwy ct cir pl ter sq u.s a.m p.m d.c p.e p.c l.p l.l.c sq.ft
`);
/** Words that begin a sentence and no name. */
const OPENERS = wordSet(
  'a an the this that these those it its in if all any each such there he she they we who staff note requested',
);

/** Text after the matter itself: labels, and a sentence on the meeting. */
const ASIDE = anyOf(
  'Financing:',
  'Funding:',
  'Fiscal Impact:',
  'Notes?:',
  'CEQA(?: Status)?(?: [-–—]|:)',
  '(?:Communication|Environmental (?:Document|Determination)):',
  '(?:\\([^()]{2,60}\\) )?(?:(?:Supervisorial|Council|Commissioner) District|Impact Area)(?:s|\\(s\\))?:',
  '(?:STAFF REPORT|Staff Report):',
  '(?:RECOMMENDATION|Recommendations?)(?: of [^:;.]{2,40})?:',
  'The (?:City |Town )?(?:Council|Board|Commission) will (?:consider|hear|discuss)\\b',
);
const STOP = new RegExp(String.raw`[.!?]["”’)]*\s+(?=["“(]?[\p{Lu}\d])|\n+|(?<!\s)\s+(?=${ASIDE})`, 'gu');
/** True for a sentence that is no part of the matter. */
const BEGINS_ASIDE = new RegExp(`^${ASIDE}`);
export const isAside = (sentence: string): boolean => BEGINS_ASIDE.test(sentence);
const LAST_WORD = /(?:^|[\s("“/])([^\s("“/]*)$/;
const NEXT_WORD = /["“(]?([\p{L}]+)/uy;

/** Length of a remark in parentheses that can contain a full stop, in UTF-16 code units. */
const REMARK = 60;
const isInRemark = (before: string): boolean => before.lastIndexOf('(') > before.lastIndexOf(')');

/**
 * Returns true for a full stop behind an abbreviation or an initial, or in a short remark, in front of the next word.
 */
export function isAbbreviation(text: string, stop: number, next: number): boolean {
  if (isInRemark(text.slice(Math.max(0, stop - REMARK), stop))) return true;
  const word = LAST_WORD.exec(text.slice(Math.max(0, stop - 20), stop))?.[1]?.toLowerCase() ?? '';
  if (word.length === 1 || TITLES.has(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word)) return true;
  if (!ENDINGS.has(word)) return false;
  NEXT_WORD.lastIndex = next;
  return !OPENERS.has(NEXT_WORD.exec(text)?.[1]?.toLowerCase() ?? '');
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const from = end - part.trimStart().length;
  return { start: from, end: Math.max(from, start + part.trimEnd().length) };
}

/** Returns the trimmed sentences of a text. Together they contain every character of it but white space, in order. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const { 0: stop, index } of text.matchAll(STOP)) {
    const end = index + stop.length;
    if (stop.startsWith('.') && isAbbreviation(text, index, end)) continue;
    spans.push(trimmed(text, { start, end }));
    start = end;
  }
  spans.push(trimmed(text, { start, end: text.length }));
  return spans.filter((span) => span.end > span.start);
}
