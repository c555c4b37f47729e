const LINE_BREAK = /\r\n?|[\u2028\u2029\v\f]/g;
const INVISIBLE = /[\u200b\ufeff]/g;
const CONTROL = /\p{Cc}/gu;

/** One line of text: control characters and runs of white space become single spaces. Null when nothing is left. */
export function oneLine(value: string | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  const cleaned = value.toWellFormed().normalize('NFC').replace(INVISIBLE, '').replace(CONTROL, ' ').replace(/\s+/g, ' ').trim();
  return cleaned === '' ? null : cleaned;
}

/** Text with its line breaks kept as line feeds; other control characters become spaces. Null when nothing is left. */
export function paragraphs(value: string | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  const cleaned = value
    .replace(LINE_BREAK, '\n')
    .split('\n')
    .map((line) => oneLine(line) ?? '')
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return cleaned === '' ? null : cleaned;
}
