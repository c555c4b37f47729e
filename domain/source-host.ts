import { BlockList, isIPv4 } from 'node:net';

/** Addresses that no public record is published under: loopback, private, link-local, and whatever else is not routed to everybody. */
const NOT_PUBLIC: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * Names that mean this machine, this network, or a private one. `localhost`, `local`, `internal` and `home.arpa` are reserved for that; the
 * others are no public top-level domains and are what private networks are called (RFC 6762, appendix G).
 */
const NOT_PUBLIC_DOMAINS = [
  'localhost',
  'localdomain',
  'localdomain6',
  'local',
  'internal',
  'home.arpa',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
] as const;

const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC) notPublic.addSubnet(network, prefix, 'ipv4');

/**
 * Why a host is none that a public record is published under, or null. Takes the host as the WHATWG URL parser writes it, which has made one
 * spelling of every way to write an address or a name. A literal of version 6 has no dot and is refused with the names that have none.
 */
export const hostRefusal = (hostname: string): string | null => {
  const host = hostname.replace(/\.$/, '').toLowerCase();
  if (isIPv4(host)) return notPublic.check(host, 'ipv4') ? 'its host is an address that is not public' : null;
  if (host.startsWith('[') || !host.includes('.')) return 'its host has no dot';
  if (host.split('.').includes('')) return 'its host is no name';
  const isPrivate = NOT_PUBLIC_DOMAINS.some((domain) => host.endsWith(`.${domain}`) || host === domain);
  return isPrivate ? 'its host is a name that is not public' : null;
};
