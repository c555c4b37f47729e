/** Left alone by the URL standard in places, yet not allowed to stand bare in an address. */
const UNENCODED = /[|^`{}\\"<>]|%(?![0-9a-fA-F]{2})/g;

/**
 * The public http or https address that the source gave, percent-encoded; null when there is none that a reader could follow.
 * Encoding is idempotent, so that an address is the same record's address at every run.
 */
export const publicUrl = (value: string | null | undefined): string | null => {
  const text = value?.trim() ?? '';
  if (!URL.canParse(text)) return null;
  const parsed = new URL(text);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return null;
  if (!parsed.hostname.includes('.') || parsed.username !== '' || parsed.password !== '') return null;
  return parsed.href.replace(UNENCODED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
};
