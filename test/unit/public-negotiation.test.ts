import { describe, expect, test } from 'vitest';
import { acceptedCodings, rememberedCodings } from '../../src/http/public/accept-encoding.ts';
import { clientAddress } from '../../src/http/public/client-address.ts';
import { namesTag } from '../../src/http/public/if-none-match.ts';

describe('the address that a request counts for', () => {
  test.each([
    [undefined, '198.51.100.1', '198.51.100.1'],
    [undefined, '::ffff:198.51.100.1', '198.51.100.1'],
    [undefined, '::1', '::1'],
    [undefined, undefined, 'unknown'],
    ['203.0.113.7', '::1', '203.0.113.7'],
    ['  203.0.113.7 , 10.0.0.1', '::1', '203.0.113.7'],
    ['203.0.113.7:1', '::1', '203.0.113.7'],
    ['::FFFF:cb00:7107', '::1', '203.0.113.7'],
    ['2001:0db8:0:0::0001', '::1', '2001:db8::1'],
    ['[2001:db8::1]', '::1', '2001:db8::1'],
    ['[2001:db8::1]:443', '::1', '2001:db8::1'],
    ['fe80::1%eth0', '::1', 'fe80::1'],
    ['', '::1', '::1'],
    [',203.0.113.7', '::1', '::1'],
    ['999.0.0.1', '::1', '::1'],
    ['unknown', '::1', '::1'],
    ['[x]:1', '::1', '::1'],
    [`203.0.113.7${' '.repeat(9000)}`, '::1', '203.0.113.7'],
    ['1'.repeat(16_000), '::1', '::1'],
  ])('X-Forwarded-For %s on a socket of %s counts for %s', (forwarded, socket, address) => {
    expect(clientAddress(forwarded, socket)).toBe(address);
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
    ['gzip;q=2, br;q=x', 'identity', 'identity'],
    ['gzip ; Q=0.5', 'gzip', 'identity'],
    [',, ,gzip,', 'gzip', 'identity'],
    ['zstd', 'identity', 'identity'],
  ])('%s gets %s, and %s for a small body', (header, large, small) => {
    expect(acceptedCodings(header)).toEqual({ large, small });
  });

  test('headers without end are not all remembered, and mean what they meant', () => {
    const codingsOf = rememberedCodings();
    for (let number = 0; number < 10_000; number += 1) codingsOf(`x${number}, gzip`);
    expect([codingsOf('gzip').large, codingsOf('x9999, gzip').large, codingsOf('identity').large]).toEqual(['gzip', 'gzip', 'identity']);
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
