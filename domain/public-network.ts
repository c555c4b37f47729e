import { BlockList, isIP, isIPv4 } from 'node:net';

/** Networks that are not routed to everybody: loopback, private, shared, link-local, documentation, multicast, reserved. */
const NOT_PUBLIC_IPV4 =
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`.split(/\s+/);

/** The only network of IPv6 that is routed to everybody. It contains neither `::1`, mapped addresses nor NAT64. */
const GLOBAL_IPV6 = '2000::/3';
/** Parts of it that lead to IPv4 addresses (Teredo, 6to4) or are for benchmarks, identifiers and documentation. */
const NOT_PUBLIC_IPV6 = '2001::/23 2001:db8::/32 2002::/16 3fff::/20'.split(' ');

function listOf(networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks.map((each) => each.split('/')))
    list.addSubnet(network!, Number(prefix), family);
  return list;
}

const notPublicIpv4 = listOf(NOT_PUBLIC_IPV4, 'ipv4');
const globalIpv6 = listOf([GLOBAL_IPV6], 'ipv6');
const notPublicIpv6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');

/** Returns true for an IP address that everybody can reach; false for other addresses and texts. */
export function isPublicIp(address: string): boolean {
  if (isIPv4(address)) return !notPublicIpv4.check(address, 'ipv4');
  return isIP(address) === 6 && globalIpv6.check(address, 'ipv6') && !notPublicIpv6.check(address, 'ipv6');
}
