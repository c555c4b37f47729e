import { SourceUnavailable } from '../../domain/ports/source-ports.ts';
import { hasCredentials, isPublicAddress } from '../../domain/source-url.ts';
import { placeOf } from './exchange.ts';
import { isLogin } from './unwanted-pages.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

/**
 * Reads an address that a connector or a source states. Throws `SourceUnavailable` unless it is one of http or https
 * without user and password, at a public host or at one of `ownHosts`.
 */
export function requireAddress(text: string, ownHosts: ReadonlySet<string>, base?: URL): URL {
  const address = URL.parse(text, base?.href);
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new SourceUnavailable('an address of the source is no http or https address');
  if (hasCredentials(address)) throw new SourceUnavailable(`an address at ${address.host} contains a user or password`);
  if (!ownHosts.has(address.host) && !isPublicAddress(address.href))
    throw new SourceUnavailable(`${address.host} is not a public host`);
  return address;
}

/** Returns the address that a redirect leads to. Throws `SourceUnavailable` for one that is not allowed. */
export function requireTarget(location: string | null, from: URL, ownHosts: ReadonlySet<string>): URL {
  if (location === null) throw new SourceUnavailable(`${placeOf(from)} redirects to no address`);
  let target: URL;
  try {
    target = requireAddress(location, ownHosts, from);
  } catch (error) {
    throw new SourceUnavailable(`a redirect of ${placeOf(from)} is refused: ${(error as Error).message}`);
  }
  if (isLogin(target) && !isLogin(from))
    throw new SourceUnavailable(`${placeOf(from)} redirects to a login page at ${target.host}`);
  return target;
}
