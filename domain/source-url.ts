import { hostRefusal } from './source-host.ts';

/** Names of query parameters that carry secrets. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'token',
  'key',
  'api_key',
  'apikey',
  'access_token',
  'sig',
  'signature',
  'password',
  'secret',
  'auth',
]);

/**
 * Why the address of a public record is refused, or null; it is never fetched to find out. Judged are the text as it was written, since a
 * parser forgives tabs, backslashes and missing slashes that hide where it leads, and the parts that the WHATWG URL parser finds in it.
 */
export const sourceUrlRefusal = (text: string): string | null => {
  if (hasControls(text)) return 'it holds a control character';
  if (text !== text.trim()) return 'it begins or ends with a space';
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return 'it is no http or https address';
  if (authority.includes('\\') || text.includes('\\')) return 'it holds a backslash';
  if (authority.includes('@')) return 'it holds credentials';
  if (text.includes('#')) return 'it has a fragment';
  const url = URL.parse(text);
  if (url === null) return 'it cannot be read as an address';
  return hostRefusal(url.hostname) ?? (hasSecretName(url.search) ? 'a query parameter has the name of a secret' : null);
};

const hasControls = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
};

/** Old servers separate parameters by semicolons too, and `name[]` and `name[x]` are parameters of that name. */
const hasSecretName = (search: string): boolean =>
  search
    .slice(1)
    .split(/[&;]/)
    .some((pair) => decodings(pair.split('=', 1)[0]!.replaceAll('+', ' ')).some((name) => SECRET_NAMES.has(plainName(name))));

const plainName = (name: string): string => name.split('[', 1)[0]!.trim().toLowerCase();

const MOST_DECODINGS = 5;
/** The name, and each form of it by repeated decoding: an intermediary may decode once more than the sender encoded. */
const decodings = (name: string): readonly string[] => {
  const found = [name];
  for (let left = MOST_DECODINGS; left > 0; left -= 1) {
    const last = found.at(-1)!;
    const decoded = last.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === last) break;
    found.push(decoded);
  }
  return found;
};
