import { BlockList, isIPv4 } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sourceUrlRefusal } from '../../domain/source-url.ts';
import { testSeed } from '../support/test-seed.ts';
import { testRuns } from '../support/test-runs.ts';

const runs = { seed: testSeed(), numRuns: testRuns(1_000) };

/** Notations of one IPv4 address that a URL parser takes for the same address. */
const writings: readonly ((parts: readonly [number, number, number, number]) => string)[] = [
  (parts) => parts.join('.'),
  (parts) => `${parts.join('.')}.`,
  (parts) => parts.map((part) => `0${part.toString(8)}`).join('.'),
  (parts) => parts.map((part) => `0x${part.toString(16)}`).join('.'),
  ([a, b, c, d]) => String(((a * 256 + b) * 256 + c) * 256 + d),
  ([a, b, c, d]) => `0x${(((a * 256 + b) * 256 + c) * 256 + d).toString(16)}`,
  ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  ([a, b, c, d]) => `${a}.0x${b.toString(16)}.${c * 256 + d}`,
];
const disguises: readonly ((host: string) => string)[] = [
  (host) => host,
  (host) => host.replaceAll('.', '。'),
  (host) => host.replaceAll('.', '%2E'),
  (host) => host.replace(/./, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  (host) => host.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
  (host) => host.toUpperCase(),
];
const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const nearPrivate = fc
  .tuple(
    fc.constantFrom(
      [9],
      [10],
      [11],
      [126],
      [127],
      [128],
      [169, 253],
      [169, 254],
      [169, 255],
      [172, 15],
      [172, 16],
      [172, 31],
      [172, 32],
      [192, 167],
      [192, 168],
      [192, 169],
      [0],
      [1],
      [100, 63],
      [100, 64],
      [100, 127],
      [100, 128],
      [223],
      [224],
    ),
    address,
  )
  .map(([start, parts]) => [...start, ...parts.slice(start.length)] as unknown as [number, number, number, number]);

/** The rule for addresses that are not public, written independently of the program. */
const isPrivate = ([a, b, c]: readonly [number, number, number, number]): boolean =>
  a === 0 ||
  a === 10 ||
  a === 127 ||
  a >= 224 ||
  (a === 100 && b >= 64 && b < 128) ||
  (a === 169 && b === 254) ||
  (a === 172 && b >= 16 && b < 32) ||
  (a === 192 && b === 168) ||
  (a === 192 && b === 0 && (c === 0 || c === 2)) ||
  (a === 198 && (b === 18 || b === 19)) ||
  (a === 198 && b === 51 && c === 100) ||
  (a === 203 && b === 0 && c === 113);

test('an address is accepted or refused by its meaning, not by its notation', () => {
  fc.assert(
    fc.property(
      fc.oneof(address, nearPrivate),
      fc.constantFrom(...writings),
      fc.constantFrom(...disguises),
      fc.constantFrom('', ':80', ':65535'),
      (parts, write, disguise, port) => {
        const url = `https://${disguise(write(parts))}${port}/agenda?id=1`;
        expect([url, sourceUrlRefusal(url) !== null]).toEqual([url, isPrivate(parts)]);
      },
    ),
    runs,
  );
});

const pieces = [
  'http',
  'https',
  'HTTP',
  'ftp',
  'javascript',
  ':',
  '/',
  '//',
  '\\',
  '@',
  '#',
  '?',
  '&',
  ';',
  '=',
  '%',
  '%40',
  '%2e',
  '%00',
  '%0a',
  '.',
  '..',
  '。',
  'localhost',
  'local',
  'internal',
  'example',
  'org',
  'gov',
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '169.254.169.254',
  '[::1]',
  '[',
  ']',
  ':80',
  'token',
  'key',
  '%74oken',
  'TOKEN',
  '\t',
  '\n',
  ' ',
  '\u00ad',
  '\u200b',
  '\ufeff',
  '\u0000',
  'ｌｏｃａｌｈｏｓｔ',
  '１２７',
  'xn--',
  'user:pass',
  '\ud800',
  '10',
  '192.168.0.1',
] as const;
const private4 = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  private4.addSubnet(network, prefix);
}

test('an accepted address has http or https, a public host with a dot, and no secret', () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join('')),
    fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => `https://${parts.join('')}`),
    fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => `https://example.org${parts.join('')}`),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  let accepted = 0;
  fc.assert(
    fc.property(text, (written) => {
      if (sourceUrlRefusal(written) !== null) return;
      accepted += 1;
      const url = new URL(written);
      const host = url.hostname.replace(/\.$/, '');
      expect(['http:', 'https:']).toContain(url.protocol);
      expect([url.username, url.password, url.hash]).toEqual(['', '', '']);
      expect(written).not.toMatch(/[\p{Cc}\\#]/u);
      expect(/^https?:\/\/([^/?]*)/i.exec(written)?.[1]).not.toContain('@');
      expect(host).toMatch(/[^.]\.[^.]/);
      expect(host).not.toMatch(/(^|\.)(localhost|local|internal)$/);
      expect(isIPv4(host) && private4.check(host)).toBe(false);
      const names = [...url.searchParams.keys()].map((name) => name.toLowerCase());
      for (const secret of [
        'token',
        'key',
        'api_key',
        'apikey',
        'access_token',
        'sig',
        'signature',
        'password',
        'secret',
        'auth',
      ]) {
        expect(names).not.toContain(secret);
      }
    }),
    { ...runs, numRuns: testRuns(5_000) },
  );
  expect(accepted).toBeGreaterThan(testRuns(250));
});

test('the check takes time bounded by the length of the text', () => {
  const long = [
    `https://${'a.'.repeat(1000)}org/`,
    `https://example.org/?${'%25'.repeat(680)}`,
    `https://example.org/?${'&'.repeat(2000)}`,
    `https://${'@'.repeat(2000)}`,
    `https://${'１'.repeat(2000)}/`,
    `https://example.org/${'\u00ad'.repeat(2000)}`,
    `https://example.org/?${'a[;'.repeat(680)}`,
  ];
  const started = performance.now();
  for (let time = 0; time < 20; time += 1) for (const url of long) sourceUrlRefusal(url);
  expect(performance.now() - started).toBeLessThan(5_000);
});
