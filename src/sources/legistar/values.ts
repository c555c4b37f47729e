const LINE_BREAK = /\r\n?|[\u2028\u2029\v\f]/g;
const INVISIBLE = /[\u200b\ufeff]/g;
const CONTROL = /\p{Cc}/gu;

/** A text field of a row. */
export type Text = string | null | undefined;

/** One line of text: control characters and runs of white space become single spaces. Null when nothing is left. */
export function oneLine(value: Text): string | null {
  const text = (value ?? '').toWellFormed().normalize('NFC');
  return text.replace(INVISIBLE, '').replace(CONTROL, ' ').replace(/\s+/g, ' ').trim() || null;
}

/** Text with its line breaks kept as line feeds; other control characters become spaces. Null when nothing is left. */
export function paragraphs(value: Text): string | null {
  const lines = (value ?? '').replace(LINE_BREAK, '\n').split('\n');
  const text = lines.map((line) => oneLine(line) ?? '').join('\n');
  return text.replace(/\n{3,}/g, '\n\n').trim() || null;
}

/** Characters that `URL` leaves unencoded in places, although RFC 3986 does not allow them. */
const UNENCODED = /[|^`{}\\"<>]|%(?![0-9a-fA-F]{2})/g;

/**
 * The public http or https address of the source, percent-encoded; null for another address. Encoding is idempotent: each run gives the
 * same address.
 */
export function publicUrl(value: Text): string | null {
  const parsed = URL.parse(value?.trim() ?? '');
  if (parsed === null || !['https:', 'http:'].includes(parsed.protocol)) return null;
  if (!parsed.hostname.includes('.') || parsed.username !== '' || parsed.password !== '') return null;
  return parsed.href.replace(UNENCODED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['pdf', 'application/pdf'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['txt', 'text/plain'],
]);

/** The media type of a file name's extension; null for an unknown one. */
export const mediaTypeOf = (fileName: string | null): string | null =>
  MEDIA_TYPES.get(/\.([a-z]{3,4})$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '') ?? null;
