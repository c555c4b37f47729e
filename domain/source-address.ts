import { derivedId } from './identifiers.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const UNRESERVED = /%([0-9a-fA-F]{2})/g;

/** Percent-encoding in one form: what needs none is bare, what needs it is in capitals. */
const oneEncoding = (text: string): string =>
  text.replace(UNRESERVED, (escape, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase();
  });

/**
 * One form for addresses that lead to the same page: without scheme, default port, fragment, trailing slash or dot, and with the query's
 * parameters in order, those without a value left out. Null for what is no http or https address; letter case of path and query stays.
 */
export function sourceAddress(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !Object.hasOwn(DEFAULT_PORTS, url.protocol) || url.hostname === '') return null;
  const host = url.hostname.replace(/\.$/, '');
  const port = url.port === '' || url.port === DEFAULT_PORTS[url.protocol] ? '' : `:${url.port}`;
  const path = oneEncoding(url.pathname).replace(/\/+$/, '');
  const parameters = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => /=./s.test(parameter) || (parameter !== '' && !parameter.includes('=')))
    .map(oneEncoding)
    .toSorted();
  return `${host}${port}${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`;
}

/** The address as a fixed-size key for an index; what is no address is its own. */
export const sourceAddressKey = (text: string): string => derivedId('source address', sourceAddress(text) ?? text);

/** The host of an address, without `www.`; null for what is no address. */
export const sourceHost = (text: string): string | null =>
  sourceAddress(text)
    ?.split(/[/?:]/, 1)[0]!
    .replace(/^www\./, '') ?? null;
