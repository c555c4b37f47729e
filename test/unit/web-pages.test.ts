import { describe, expect, test } from 'vitest';
import { decodePage } from '../../infra/web/page-text.ts';
import { longestTurn } from '../support/longest-turn.ts';
import { asksForPassword, isLogin, protectionOf } from '../../infra/web/unwanted-pages.ts';

describe('the text of a page', () => {
  const latin = Buffer.from('Peña – “agenda”', 'utf8');
  const windows = Uint8Array.from([0x50, 0x65, 0xf1, 0x61, 0x20, 0x96, 0x20, 0x93, 0x61, 0x94]);
  const withMeta = (meta: string, bytes: Uint8Array) => Buffer.concat([Buffer.from(meta), bytes]);

  test.each([
    ['its Content-Type', windows, 'text/html; charset=ISO-8859-1', 'Peña – “a”'],
    ['UTF-8 without a statement', latin, 'text/html', 'Peña – “agenda”'],
    ['Windows-1252 where it is not UTF-8', windows, null, 'Peña – “a”'],
    ['UTF-8 where the encoding is unknown', latin, 'text/html; charset=none', 'Peña – “agenda”'],
    ['its byte order mark', Buffer.from('\ufeffPeña', 'utf16le'), 'text/html; charset=utf-8', 'Peña'],
  ])('is decoded by %s', async (_, bytes, contentType, text) => {
    expect(await decodePage(bytes, contentType)).toBe(text);
  });

  test.each(['<meta charset="windows-1252">', "<META http-equiv='Content-Type' content='text/html; charset=latin1'>"])(
    'is decoded by %s',
    async (meta) => {
      expect(await decodePage(withMeta(meta, windows), 'text/html')).toBe(`${meta}Peña – “a”`);
    },
  );

  test('is UTF-8 if an element says UTF-16 in ASCII', async () => {
    const meta = '<meta charset="utf-16">';
    expect(await decodePage(withMeta(meta, latin), null)).toBe(`${meta}Peña – “agenda”`);
  });
});

test('a long page is decoded in short turns, also where a character begins in one and ends in the next', async () => {
  const text = `a${'é–'.repeat(3 * 1024 * 1024)}`;
  const [bytes, latin] = [Buffer.from(text), Buffer.alloc(16 * 1024 * 1024, 0xe9)];
  const read = await longestTurn(async () => [await decodePage(bytes, null), await decodePage(latin, null)] as const);
  expect(read.result[0] === text).toBe(true);
  expect(read.result[1]).toHaveLength(latin.length);
  expect(read.longestMs).toBeLessThan(50);
});

describe('a page of a protection against robots', () => {
  const NONE = new Headers();

  test.each([
    ['<TITLE>Access Denied</TITLE> https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18', 'Akamai'],
    [`<meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'">`, 'Akamai'],
    ['<title>Just a moment...</title><script>window._cf_chl_opt={}</script>', 'Cloudflare'],
    ['Request unsuccessful. Incapsula incident ID: 1-2', 'Imperva'],
    ['<h1>Agenda</h1><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>', null],
    ['<p>Contract with Cloudflare for the protection of the site</p>', null],
    [`${'<p>agenda</p>'.repeat(6_000)} bm-verify=`, null],
  ])('%.60j is one of %s', (html, protection) => {
    expect(protectionOf(NONE, html)).toBe(protection);
  });

  test('is recognized by its headers', () => {
    expect(protectionOf(new Headers({ 'cf-mitigated': 'challenge' }), '')).toBe('Cloudflare');
    expect(protectionOf(new Headers({ 'x-amzn-waf-action': 'captcha' }), '')).toBe('AWS WAF');
  });
});

describe('a login page', () => {
  test.each([
    ['https://www.example.gov/Account/Login.aspx?ReturnUrl=%2F', true],
    ['https://login.example.com/common/authorize', true],
    ['https://www.example.gov/saml2/idp', true],
    ['https://www.example.gov/AgendaCenter/ViewFile/Agenda/1', false],
    ['https://www.example.gov/files/login-policy.pdf', false],
  ])('%s is one: %s', (address, is) => {
    expect(isLogin(new URL(address))).toBe(is);
  });

  test('has a field for a password', () => {
    expect(asksForPassword('<input id="p" type="password">')).toBe(true);
    expect(asksForPassword("<INPUT TYPE=password name='p'>")).toBe(true);
    expect(asksForPassword('<p>Adopt a password policy</p><input type="text" name="password">')).toBe(false);
  });
});
