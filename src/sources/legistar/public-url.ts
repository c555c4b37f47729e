/** Characters that `URL` leaves unencoded in places, although RFC 3986 does not allow them. */
const UNENCODED = /[|^`{}\\"<>]|%(?![0-9a-fA-F]{2})/g;

/**
 * The public http or https address of the source, percent-encoded; null for another address. Encoding is idempotent: each run gives the
 * same address.
 */
export function publicUrl(value: string | null | undefined): string | null {
  const text = value?.trim() ?? '';
  if (!URL.canParse(text)) return null;
  const parsed = new URL(text);
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return null;
  if (!parsed.hostname.includes('.') || parsed.username !== '' || parsed.password !== '') return null;
  return parsed.href.replace(UNENCODED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
