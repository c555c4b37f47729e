import { decodeHTMLAttribute } from 'entities';
import { removeTags } from './html-text.ts';
import { anyOf } from './patterns.ts';
import { decodeRtf } from './rtf-text.ts';

/** Length of a text that is published, in UTF-16 code units. */
export const MAX_SOURCE_TEXT = 100_000;
/** Length of a text that rules read, in UTF-16 code units: the decisive words are at its beginning. */
export const MAX_RULE_TEXT = 8_000;
/**
 * Length of a raw text that is decoded, in UTF-16 code units. Its fonts, colors and tags can be longer than its words.
 */
export const MAX_RAW = 150_000;

const MARKED = /[<&]|\\rtf|--\/?em--/;
/** A control character, or one outside of ASCII. */
const UNUSUAL = /[^\t\n\v\f\r -~]/;
/** Marks of emphasis in Legistar. */
const EMPHASIS = /--\/?em--/g;
const ACCENTED = anyOf('[a-z](?:acute|grave|circ|tilde|uml|ring|cedil|slash)', '[ao]elig', 'szlig');
const NAMED_SYMBOL = '(?:iquest|iexcl|nbsp|quot|amp)';
/** Letters after these names do not belong to them: "&ntildeo", "&iquestQu&eacute". */
const UNENDED_NAME = new RegExp(String.raw`&(${ACCENTED}|${NAMED_SYMBOL})(?=[a-z\d])`, 'gi');
/** An "and" between numbers, "#5&#6", is no reference to a character. */
const AND_NUMBER = /(?<=(?<!&)#\d{1,6}\s?)&(?=#\d{1,6}(?![\d;]))/g;
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;
/** A sender that encodes a text twice has written "&amp;amp;". */
const MAX_ENCODINGS = 3;

/** The C1 controls: letters and punctuation of Windows-1252 that were taken for Latin-1. */
const C1 = /[\u0080-\u009f]/g;
const CONTROLS = /[^\P{Cc}\t\n\v\f\r]/gu;
/**
 * Zero-width space, word joiner and byte order mark. Joiners and marks of direction belong to scripts and emoji, spaces
 * to scripts that show none.
 */
const INVISIBLE = /(?<![\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}\p{sc=Thai}])\u200b|[\u2060\ufeff]/gu;
/** More marks on one letter than any script has. */
const STACKED_MARKS = /(\p{M}{30})\p{M}+/gu;

const WINDOWS_1252 = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, n) => 0x80 + n));

function decodeEntities(text: string): string {
  let decoded = text;
  for (let n = 0; n < MAX_ENCODINGS && (n === 0 || ENTITY.test(decoded)); n += 1) {
    const next = decodeHTMLAttribute(decoded.replace(UNENDED_NAME, '&$1;').replace(AND_NUMBER, '&amp;'));
    if (next === decoded) break;
    decoded = next;
  }
  return decoded;
}

/** True if a text might contain RTF, tags or entities. */
export const isMarked = (text: string): boolean => MARKED.test(text);

/** No-break spaces stay where there was nothing to decode, as in "5 < 6". */
function unmark(text: string): string {
  const decoded = removeTags(decodeEntities(decodeRtf(text))).replace(EMPHASIS, ' ');
  return decoded === text ? text : decoded.replaceAll('\u00a0', ' ');
}

/** Replaces controls, invisible characters and lone surrogates, and normalizes to NFC. */
export function cleanCharacters(text: string): string {
  return text
    .replace(C1, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80]!)
    .replace(CONTROLS, ' ')
    .replace(INVISIBLE, '')
    .replace(STACKED_MARKS, '$1')
    .normalize('NFC')
    .toWellFormed();
}

/** Maximum characters of a word in a language with spaces. */
const LONGEST_WORD = 100;

/** Returns the beginning of a text up to the last whole word within `limit`, or the text itself if it is not longer. */
export function beginningOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  for (let end = limit; end > Math.max(0, limit - LONGEST_WORD); end -= 1) {
    if (/\s/.test(text[end]!)) return text.slice(0, end).trimEnd();
  }
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
}

interface SourceText {
  readonly text: string;
  /** True if a part of the text is not published, because it or its raw text is too long. */
  readonly isCut: boolean;
}

/**
 * Decodes RTF, tags and entities of a text of any length, replaces controls, invisible characters and lone surrogates,
 * and normalizes to NFC. A text without markup is unchanged, in any language. The time grows with the length.
 */
export function decodeText(raw: string): string {
  const text = isMarked(raw) ? unmark(raw) : raw;
  return UNUSUAL.test(text) ? cleanCharacters(text) : text;
}

/** Returns a text of a source as plain text of at most `MAX_SOURCE_TEXT`. Reads at most `MAX_RAW` of it. */
export function readSourceText(raw: string): SourceText {
  const text = decodeText(raw.slice(0, MAX_RAW));
  return { text: beginningOf(text, MAX_SOURCE_TEXT), isCut: raw.length > MAX_RAW || text.length > MAX_SOURCE_TEXT };
}

/** The text of `readSourceText`. */
export const plainText = (raw: string): string => readSourceText(raw).text;
