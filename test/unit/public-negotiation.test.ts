import { describe, expect, test } from 'vitest';
import { clientAddress, groupAddress, trustedProxies } from '../../src/edge/admission/client-address.ts';
import { acceptedCodings, namesTag, prefersHtml } from '../../src/edge/answers/representation.ts';

describe('the counted client address', () => {
  test.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::1', '::1'],
    ['203.0.113.7:1', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:0db8:0:0::0001', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['', '10.9.8.7'],
    ['999.0.0.1', '10.9.8.7'],
    ['unknown', '10.9.8.7'],
    ['[x]:1', '10.9.8.7'],
    ['1'.repeat(16_000), '10.9.8.7'],
  ])('of %s is %s', (ip, address) => {
    expect(clientAddress(ip, '10.9.8.7')).toBe(address);
  });

  test('is unknown if neither is an address', () => {
    expect(clientAddress('x', undefined)).toBe('unknown');
  });
});

describe('a trusted proxy', () => {
  test.each([
    [['loopback'], '127.0.0.1', true],
    [['loopback'], '::ffff:127.0.0.1', true],
    [['loopback'], '10.0.0.1', false],
    [['10.0.0.0/8', '2001:db8::/32'], '10.1.2.3', true],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db8::9', true],
    [['10.0.0.0/8'], '127.0.0.1', false],
    [[], '127.0.0.1', false],
    [['loopback'], 'localhost', false],
    [['loopback'], undefined, false],
  ])('of %j is %s: %s', (list, address, trusted) => {
    expect(trustedProxies(list)(address)).toBe(trusted);
  });
});

describe('Accept', () => {
  test.each([
    ['text/html', true],
    ['TEXT/HTML', true],
    ['text/html; charset=utf-8', true],
    ['text/html;q=0.5, application/json', false],
    ['*/*', false],
  ])('of %s prefers a page to JSON: %s', (accept, isPreferred) => {
    expect(prefersHtml(accept)).toBe(isPreferred);
  });
});

describe('Accept-Encoding', () => {
  test.each([
    ['br;q=1.0, gzip;q=1.000', 'br', 'identity'],
    ['gzip;q=0.001', 'gzip', 'identity'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip', 'identity'],
    ['identity;q=0, gzip', 'gzip', 'gzip'],
    ['*;q=0, br', 'br', 'br'],
    ['*', 'br', 'identity'],
    ['identity, *;q=0', 'identity', 'identity'],
    ['identity;q=0', 'identity', 'identity'],
    ['gzip;q=0, br;q=x', 'identity', 'identity'],
    ['gzip ; Q=0.5', 'gzip', 'identity'],
    [',, ,gzip,', 'gzip', 'identity'],
    ['zstd', 'identity', 'identity'],
  ])('%s gets %s, and %s for a small body', (header, large, small) => {
    expect(acceptedCodings(header)).toEqual({ large, small });
  });

  test('has the same result after ten thousand other values', () => {
    for (let number = 0; number < 10_000; number += 1) acceptedCodings(`x${number}, gzip`);
    expect(['gzip', 'x9999, gzip', 'identity'].map((header) => acceptedCodings(header).large)).toEqual([
      'gzip',
      'gzip',
      'identity',
    ]);
  });
});

describe('If-None-Match', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    [' "b" , "a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['"aa"', false],
    ['"x\\"a"', false],
    ['', false],
  ])('%s names "a": %s', (header, named) => {
    expect(namesTag(header, '"a"')).toBe(named);
  });
});

test.each([
  ['2001:db8:1:2::1', 64, '2001:db8:1:2:0:0:0:0/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', 64, '2001:db8:1:2:0:0:0:0/64'],
  ['2001:db8:1:3::1', 64, '2001:db8:1:3:0:0:0:0/64'],
  ['2001:db8:1:2ff::1', 56, '2001:db8:1:200:0:0:0:0/56'],
  ['::1', 64, '0:0:0:0:0:0:0:0/64'],
  ['::1', 128, '0:0:0:0:0:0:0:1/128'],
  ['192.0.2.7', 64, '192.0.2.7'],
  ['unknown', 64, 'unknown'],
])('%s counts with a prefix of %d bits as %s', (address, prefix, group) => {
  expect(groupAddress(address, prefix)).toBe(group);
});
