import { describe, expect, test } from 'vitest';
import { isPublicAddress, sourceUrlRefusal } from '../../domain/source-url.ts';

const refusedOf = (urls: readonly string[]) => urls.filter((url) => sourceUrlRefusal(url) !== null);
const encoded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

describe('an address of a public record', () => {
  test.each([
    'https://cityofdallas.legistar.com/LegislationDetail.aspx?ID=7070001&GUID=0A1B2C3D-0000-1111-2222-333344445555&Options=&Search=',
    'http://www.example.org',
    'http://www.example.org:8080/a',
    'HTTPS://WWW.EXAMPLE.ORG/A',
    'https://example.org./agenda.pdf',
    'https://münchen.example.org/',
    'https://xn--mnchen-3ya.de/',
    'https://example.org/a b/ü?q=ä',
    'https://example.org/token/key?id=1&tokens=2&monkey=3&keyword=4&authority=5&sigma=6',
    'https://example.org/?q=token',
    'https://example.org/?q=a%23b&r=http://localhost/',
    'https://example.org/@user/agenda',
    'https://example.org/?mail=a@b.org',
    'https://8.8.8.8/agenda',
    'https://11.0.0.1/',
    'https://172.15.0.1/',
    'https://172.32.0.1/',
    'https://192.167.1.1/',
    'https://169.253.1.1/',
    'https://126.255.255.255/',
    'https://local.example.org/',
    'https://localhost.example.org/',
    'https://internal-affairs.gov/',
    'https://mylocal.us/',
    'https://10.example.org/',
  ])('may be %s', (url) => {
    expect(sourceUrlRefusal(url)).toBeNull();
  });
});

describe('is refused', () => {
  test.each([
    [
      'another scheme',
      [
        'ftp://example.org/',
        'file:///etc/passwd',
        'javascript:alert(1)',
        'data:text/plain,x',
        'gopher://example.org',
        'ws://example.org',
      ],
    ],
    [
      'no scheme',
      [
        'example.org/agenda',
        '//example.org/agenda',
        '/agenda',
        '',
        ' ',
        '://example.org',
        'https',
        'https:',
        'https://',
      ],
    ],
    [
      'slashes that a parser forgives',
      [
        'https:example.org',
        'https:/example.org',
        'https:///example.org',
        'https:////example.org',
        'https:\\\\example.org',
      ],
    ],
    [
      'a backslash',
      [
        'https://example.org\\@localhost/',
        'https://example.org\\a',
        'https://example.org/a\\b',
        'https://localhost\\.example.org/',
      ],
    ],
    [
      'tabs, line feeds and other controls',
      [
        'https://exa\tmple.org/',
        'java\nscript://example.org/',
        'https://example.org/\r\nHost: localhost',
        'https://example.org/\u0000',
        'https://local\thost.example.org/',
        'https://example.org/\u007f',
        'https://example.org/\u0085',
        '\thttps://example.org/',
      ],
    ],
    [
      'spaces around it',
      [' https://example.org/', 'https://example.org/ ', '\u00a0https://example.org/', '\ufeffhttps://example.org/'],
    ],
    ['a space in its host', ['https://exam ple.org/']],
    [
      'credentials',
      [
        'https://user@example.org/',
        'https://user:password@example.org/',
        'https://@example.org/',
        'https://:@example.org/',
        'https://example.org@localhost/',
        'https://localhost:80@example.org/',
        'https://a@b@example.org/',
        'https://user%40example.org@example.org/',
      ],
    ],
    [
      'a fragment',
      ['https://example.org/#', 'https://example.org/#agenda', 'https://example.org/?a=1#b', 'https://example.org#'],
    ],
    ['a port that is none', ['https://example.org:99999/', 'https://example.org:80a/', 'https://example.org:-1/']],
    [
      'a host without a dot',
      [
        'https://intranet/',
        'https://localhost',
        'https://LOCALHOST:3000/',
        'https://localhost./',
        'https://com./',
        'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/',
        'https://ｌｏｃａｌｈｏｓｔ/',
        'https://loc%61lhost/',
        'https://local\u00adhost/',
        'https://ip6-loopback/',
      ],
    ],
    [
      'a host that is no name',
      [
        'https://example..org/',
        'https://.example.org/',
        'https://example.org../',
        'https://127.0.0.1../',
        'https://./',
        'https://exam%00ple.org/',
        'https://a%2fb.org/',
        'https://a%40b.org/',
        'https://example.org%2f@localhost/',
      ],
    ],
    [
      'a private name',
      [
        'https://a.localhost/',
        'https://A.LocalHost./',
        'https://printer.local/',
        'https://printer。local/',
        'https://metadata.google.internal/',
        'https://router.home.arpa/',
        'https://home.arpa/',
        'https://localhost.localdomain/',
        'https://wiki.intranet/',
        'https://files.lan/',
        'https://mail.corp/',
        'https://nas.home/',
        'https://x.private/',
        'https://printer.%6cocal/',
        'https://printer.ｌｏｃａｌ/',
      ],
    ],
    [
      'a literal of IPv6, whatever it means',
      [
        'https://[::1]/',
        'https://[::]/',
        'https://[0:0:0:0:0:0:0:1]:443/',
        'https://[::ffff:127.0.0.1]/',
        'https://[::ffff:7f00:1]/',
        'https://[::127.0.0.1]/',
        'https://[64:ff9b::7f00:1]/',
        'https://[fe80::1]/',
        'https://[fe80::1%25eth0]/',
        'https://[fe80::1%eth0]/',
        'https://[fc00::1]/',
        'https://[fd12:3456::1]/',
        'https://[2606:4700::1111]/',
        'https://[::1',
        'https://::1/',
      ],
    ],
  ] as const)('%s', (_, urls) => {
    expect(refusedOf(urls)).toEqual(urls);
  });

  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback, its end', '127.255.255.254'],
    ['this host', '0.0.0.0'],
    ['private, 10', '10.1.2.3'],
    ['private, 172.16', '172.16.0.1'],
    ['private, 172.31', '172.31.255.255'],
    ['private, 192.168', '192.168.1.1'],
    ['link-local, with the metadata of clouds', '169.254.169.254'],
    ['shared by carriers', '100.64.0.1'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
  ])('an address that is %s, however it is written', (_, address) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    const number = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
    const octal = (part: number) => `0${part.toString(8)}`;
    const hex = (part: number) => `0x${part.toString(16)}`;
    const wide = (text: string) =>
      text
        .split('')
        .map((sign) => (sign === '.' ? '。' : String.fromCharCode(sign.charCodeAt(0) + 0xfee0)))
        .join('');
    const addresses = [
      address,
      `${address}.`,
      `${address}:8080`,
      `${address}.:8080`,
      String(number),
      `0x${number.toString(16)}`,
      `0X${number.toString(16).toUpperCase()}`,
      `0${number.toString(8)}`,
      `000000${number.toString(8)}`,
      [a, b, c, d].map(octal).join('.'),
      [a, b, c, d].map(hex).join('.'),
      `${hex(a)}.${b}.${octal(c)}.${d}`,
      `${a}.${number % 2 ** 24}`,
      `${a}.${b}.${number % 2 ** 16}`,
      encoded(address),
      address.replaceAll('.', '%2e'),
      address.replaceAll('.', '。'),
      address.replaceAll('.', '．'),
      wide(address),
      wide(String(number)),
      `${address.slice(0, -1)}\u00ad${address.slice(-1)}`,
    ].map((host) => `http://${host}/agenda`);
    expect(refusedOf(addresses)).toEqual(addresses);
  });

  const names = ['token', 'key', 'api_key', 'apikey', 'access_token', 'sig', 'signature', 'password', 'secret', 'auth'];
  test.each(names)('a query parameter %s, however it is written', (name) => {
    const mixed = name
      .split('')
      .map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter))
      .join('');
    const queries = [
      `?${name}=x`,
      `?${name}`,
      `?${name}=`,
      `?a=1&${name}=x`,
      `?a=1;${name}=x`,
      `?${name.toUpperCase()}=x`,
      `?${mixed}=x`,
      `?${encoded(name)}=x`,
      `?${encoded(mixed).toUpperCase()}=x`,
      `?${encoded(encoded(name))}=x`,
      `?${name}[]=x`,
      `?${name}[a]=x`,
      `?${name}%5b%5d=x`,
      `?+${name}+=x`,
      `?%20${name}=x`,
      `?&&${name}=x`,
    ].map((query) => `https://example.org/agenda${query}`);
    expect(refusedOf(queries)).toEqual(queries);
  });
});

test.each([
  ['https://example.org/agenda#item-3', true],
  ['http://www.example.org:8080/?token=1', true],
  ['http://127.0.0.1:5432/', false],
  ['http://[::1]/', false],
  ['http://localhost/', false],
  ['http://2130706433/', false],
  ['http://router.lan/', false],
  ['https://me:s3cret@example.org/', false],
  ['https://me@example.org/', false],
  ['ftp://example.org/', false],
  ['javascript:alert(1)', false],
  ['example.org', false],
])('the host of %s is public and its address without credentials: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
