import { isIP, SocketAddress } from 'node:net';
import { compile } from '@fastify/proxy-addr';

/** Whether a connection from this address is one of a trusted proxy. */
export type IsTrustedProxy = (address: string | undefined) => boolean;

/** Reads addresses, ranges and the names of `proxy-addr` (`loopback`, `linklocal`, `uniquelocal`); none trusts no proxy. */
export function trustedProxies(list: readonly string[]): IsTrustedProxy {
  const trusts = compile([...list]);
  return (address) => address !== undefined && isIP(address) !== 0 && trusts(address, 0);
}

/**
 * The address that a request counts for: `ip` as Fastify finds it behind trusted proxies, or the socket's where that is no address. Two
 * spellings of one address are one; a port that a proxy wrote beside it is left out. Both are undefined once the client has gone.
 */
export function clientAddress(ip: string | undefined, socketAddress: string | undefined): string {
  return canonical(withoutPort(ip ?? '')) ?? canonical(socketAddress ?? '') ?? 'unknown';
}

function withoutPort(entry: string): string {
  if (isIP(entry) !== 0) return entry;
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function canonical(address: string): string | undefined {
  const plain = address.split('%', 1)[0]!;
  const version = isIP(plain);
  if (version !== 6) return version === 4 ? plain : undefined;
  const written = new SocketAddress({ address: plain, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(written)?.[1] ?? written;
}
