import { isIP, isIPv4, SocketAddress } from 'node:net';

/**
 * The address that a request counts for: the first `X-Forwarded-For` entry (specification, section Limits), or the socket's where that is
 * no address. Two spellings of one address are one; a port beside it is left out.
 */
export const clientAddress = (forwardedFor: string | undefined, socketAddress: string | undefined): string =>
  (forwardedFor === undefined ? undefined : canonical(withoutPort(firstEntry(forwardedFor)))) ??
  canonical(socketAddress ?? '') ??
  'unknown';

const firstEntry = (list: string): string => {
  const comma = list.indexOf(',');
  return (comma === -1 ? list : list.slice(0, comma)).trim();
};

const withoutPort = (entry: string): string => {
  if (isIP(entry) !== 0) return entry;
  return /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
};

const canonical = (address: string): string | undefined => {
  if (isIPv4(address)) return address;
  const zone = address.indexOf('%');
  const plain = zone === -1 ? address : address.slice(0, zone);
  if (isIP(plain) !== 6) return undefined;
  const written = new SocketAddress({ address: plain, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(written)?.[1] ?? written;
};
