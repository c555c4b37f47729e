import { expect, test } from 'vitest';
import { isPublicIp } from '../../domain/public-network.ts';

test.each(['8.8.8.8', '11.0.0.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublicIp(address)).toBe(true);
  },
);

test.each([
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.1.1', '198.18.0.1'],
  ...['203.0.113.1', '224.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::7f00:1', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '100::1'],
  ...['2001::1', '2001:db8::1', '2002:7f00:1::', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
  ...['', 'www.example.gov', '127.1'],
])('%j is not public', (address) => {
  expect(isPublicIp(address)).toBe(false);
});
