import { isIPv4 } from 'node:net';
import { derivedId } from './identifiers.ts';
import { isPublicIp } from './public-network.ts';

/** Names reserved for this machine or network, and those that private networks commonly use (RFC 6762, appendix G). */
const NOT_PUBLIC_DOMAINS =
  'localhost localdomain localdomain6 local internal home.arpa intranet private corp home lan'.split(' ');
const SECRET_NAME = /^(?:token|key|api_?key|access_token|sig|signature|password|secret|auth)$/;

/**
 * Returns why no public record is published at the host, or null. The host is in the form of the WHATWG URL parser; an
 * IPv6 literal has no dot.
 */
function hostRefusal(hostname: string): string | null {
  const host = hostname.replace(/\.$/, '').toLowerCase();
  if (isIPv4(host)) return isPublicIp(host) ? null : 'its host is an address that is not public';
  if (host.startsWith('[') || !host.includes('.')) return 'its host has no dot';
  if (host.split('.').includes('')) return 'its host is no name';
  const isNotPublic = NOT_PUBLIC_DOMAINS.some((domain) => `.${host}`.endsWith(`.${domain}`));
  return isNotPublic ? 'its host is a name that is not public' : null;
}

/**
 * Returns why an address is refused; null if it is allowed. The address is never fetched. The raw text is checked too,
 * because a parser ignores tabs, backslashes and missing slashes.
 */
export function sourceUrlRefusal(text: string): string | null {
  if (hasControls(text)) return 'it contains a control character';
  if (text !== text.trim()) return 'it begins or ends with a space';
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) return 'it is no http or https address';
  if (text.includes('\\')) return 'it contains a backslash';
  if (authority.includes('@')) return 'it contains credentials';
  if (text.includes('#')) return 'it has a fragment';
  const url = URL.parse(text);
  if (url === null) return 'it cannot be read as an address';
  return hostRefusal(url.hostname) ?? (hasSecretName(url.search) ? 'a query parameter has the name of a secret' : null);
}

/** Returns true for an http or https address of a public host, without user and password. */
export function isPublicAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !hasCredentials(url) && hostRefusal(url.hostname) === null;
}

export const hasCredentials = ({ username, password }: URL): boolean => username !== '' || password !== '';

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text);

/**
 * Returns true if a query contains the name of a secret. Old servers also separate parameters by semicolons, and treat
 * `name[]` and `name[x]` as `name`.
 */
const hasSecretName = (search: string): boolean =>
  search
    .slice(1)
    .split(/[&;]/)
    .some((pair) =>
      decodings(pair.split('=', 1)[0]!.replaceAll('+', ' ')).some((name) => SECRET_NAME.test(plainName(name))),
    );

const plainName = (name: string): string => name.split('[', 1)[0]!.trim().toLowerCase();

const MAX_DECODINGS = 5;
/**
 * Returns a name and each form of it by repeated decoding: an intermediary might decode more often than the sender
 * encoded.
 */
function decodings(name: string): readonly string[] {
  const forms = [name];
  for (let remaining = MAX_DECODINGS; remaining > 0; remaining -= 1) {
    const last = forms.at(-1)!;
    const decoded = last.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === last) break;
    forms.push(decoded);
  }
  return forms;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const UNRESERVED = /%([0-9a-fA-F]{2})/g;

/** Normalizes percent-encoding: unreserved characters are decoded, other escapes are upper case. */
const oneEncoding = (text: string): string =>
  text.replace(UNRESERVED, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });

/**
 * Normalizes addresses of the same page: without scheme, default port, fragment, trailing slash or dot, and with sorted
 * query parameters, without empty ones. Null if it is not an http or https address. Letter case of path and query is
 * significant.
 */
export function sourceAddress(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !Object.hasOwn(DEFAULT_PORTS, url.protocol) || url.hostname === '') return null;
  const host = url.hostname.replace(/\.$/, '');
  const port = url.port === '' || url.port === DEFAULT_PORTS[url.protocol] ? '' : `:${url.port}`;
  const path = oneEncoding(url.pathname).replace(/(?<!\/)\/+$/, '');
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => /=./s.test(parameter) || (parameter !== '' && !parameter.includes('=')))
    .map(oneEncoding)
    .toSorted();
  return `${host}${port}${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
}

/** Returns the address as a fixed-size index key; a text that is not an address is used as it is. */
export const sourceAddressKey = (text: string): string => derivedId('source address', sourceAddress(text) ?? text);

/** Returns the host of an address without `www.`; null if it is not an address. */
export const sourceHost = (text: string): string | null =>
  sourceAddress(text)
    ?.split(/[/?:]/, 1)[0]!
    .replace(/^www\./, '') ?? null;
