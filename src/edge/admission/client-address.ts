import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { all, compile } from '@fastify/proxy-addr';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 1_000;
const MAX_ADDRESS_LENGTH = 60;

export type IsTrustedProxy = (address: string | undefined) => boolean;

/**
 * Parses addresses, ranges and the names of `proxy-addr` (`loopback`, `linklocal`, `uniquelocal`). An empty list trusts
 * no proxy.
 */
export function trustedProxies(list: readonly string[]): IsTrustedProxy {
  const trusts = compile([...list]);
  const isTrusted = memoizeByAddress((address) => isIP(address) !== 0 && trusts(address, 0));
  return (address) => address !== undefined && isTrusted(address);
}

/**
 * Returns the client that a request counts toward, behind trusted proxies if any. Addresses are undefined after a
 * disconnect.
 */
export function requestClient(request: IncomingMessage, isTrustedProxy: IsTrustedProxy, ipv6Prefix: number): string {
  return groupAddress(clientAddress(all(request, isTrustedProxy).at(-1), request.socket.remoteAddress), ipv6Prefix);
}

/**
 * Returns the network of an IPv6 address, because one client has all addresses of its network. Other addresses are
 * returned unchanged.
 */
export function groupAddress(address: string, ipv6Prefix: number): string {
  if (isIP(address) !== 6) return address;
  const parts = address.split('::', 2).map((part) => part.split(':').filter((group) => group !== ''));
  const [start = [], end = []] = parts;
  const groups = [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end];
  const network = groups.map((group, at) => {
    const bits = Math.min(16, Math.max(0, ipv6Prefix - at * 16));
    return (Number.parseInt(group, 16) & (0xffff << (16 - bits))).toString(16);
  });
  return `${network.join(':')}/${ipv6Prefix}`;
}

/**
 * Normalizes an address, so that all its spellings count as one client. `ip` is the address from the proxy or the
 * socket.
 */
export function clientAddress(ip: string | undefined, socketAddress: string | undefined): string {
  return canonical(ip ?? '') || canonical(socketAddress ?? '') || 'unknown';
}

/**
 * Memoizes a function of an address: parsing takes a tenth of the time of a hot answer, and few addresses send most
 * requests.
 */
function memoizeByAddress<Answer extends string | boolean>(
  read: (address: string) => Answer,
): (address: string) => Answer {
  const cache = new LRUCache<string, Answer>({ max: MAX_REMEMBERED, memoMethod: read });
  return (address) => (address.length > MAX_ADDRESS_LENGTH ? read(address) : cache.memo(address));
}

const canonical = memoizeByAddress((address) => canonicalForm(withoutPort(address)) ?? '');

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
