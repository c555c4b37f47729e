/** UTF-8 bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const QUOTES = 2;
const ELLIPSIS = '…';
const ELLIPSIS_BYTES = Buffer.byteLength(ELLIPSIS);
const SHORT_ESCAPES = new Set(['"', '\\', '\b', '\f', '\n', '\r', '\t']);
const UNICODE_ESCAPE_BYTES = 6;

/** Bytes of one character of a JSON text, by its code point. */
const characterBytes = (character: string): number => {
  const code = character.codePointAt(0)!;
  if (SHORT_ESCAPES.has(character)) return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return UNICODE_ESCAPE_BYTES;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
};

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How far before a place a character that a reader sees as one may begin, and how far after it may end, in code units. */
const AROUND = 64;

/** The start of the visible character that the place lies in: a base with its marks, a flag, a joined emoji. */
const visibleBoundary = (text: string, at: number): number => {
  let from = Math.max(0, at - AROUND);
  const code = text.charCodeAt(from);
  if (code >= 0xdc00 && code <= 0xdfff) from += 1;
  const start = characters.segment(text.slice(from, at + AROUND)).containing(at - from)?.index ?? at - from;
  return start === 0 && from > 0 ? at : from + start;
};

/**
 * The text, or its beginning with an ellipsis, in at most `maxBytes` bytes of JSON without the quotes. Never ends within a character, nor
 * between a character and the marks that belong to it.
 */
export const cutText = (text: string, maxBytes: number): string => {
  if (text.length * UNICODE_ESCAPE_BYTES <= maxBytes || jsonBytes(text) - QUOTES <= maxBytes) return text;
  let bytes = ELLIPSIS_BYTES;
  let end = 0;
  for (const character of text) {
    bytes += characterBytes(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return `${text.slice(0, visibleBoundary(text, end)).trimEnd()}${ELLIPSIS}`;
};
