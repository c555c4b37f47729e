import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { all, compile } from '@fastify/proxy-addr';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 1_000;
const MAX_ADDRESS_LENGTH = 60;

export type IsTrustedProxy = (address: string | undefined) => boolean;

/** Reads addresses, ranges and the names of `proxy-addr` (`loopback`, `linklocal`, `uniquelocal`); none trusts no proxy. */
export function trustedProxies(list: readonly string[]): IsTrustedProxy {
  const trusts = compile([...list]);
  const isTrusted = remembered((address) => isIP(address) !== 0 && trusts(address, 0));
  return (address) => address !== undefined && isTrusted(address);
}

/** Who sent a request, behind trusted proxies. Addresses are undefined once the client has gone. */
export const requestAddress = (request: IncomingMessage, isTrustedProxy: IsTrustedProxy): string =>
  clientAddress(all(request, isTrustedProxy).at(-1), request.socket.remoteAddress);

/** Spellings of one address are one. `ip` is what a proxy or the socket says. */
export function clientAddress(ip: string | undefined, socketAddress: string | undefined): string {
  return canonical(ip ?? '') || canonical(socketAddress ?? '') || 'unknown';
}

/** Memoized: parsing an address takes a tenth of the time of a hot answer, and few addresses send most requests. */
function remembered<Answer extends string | boolean>(read: (address: string) => Answer): (address: string) => Answer {
  const known = new LRUCache<string, Answer>({ max: MAX_REMEMBERED, memoMethod: read });
  return (address) => (address.length > MAX_ADDRESS_LENGTH ? read(address) : known.memo(address));
}

const canonical = remembered((address) => canonicalForm(withoutPort(address)) ?? '');

function withoutPort(entry: string): string {
  if (isIP(entry) !== 0) return entry;
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function canonicalForm(address: string): string | undefined {
  const plain = address.split('%', 1)[0]!;
  const version = isIP(plain);
  if (version !== 6) return version === 4 ? plain : undefined;
  const written = new SocketAddress({ address: plain, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(written)?.[1] ?? written;
}
