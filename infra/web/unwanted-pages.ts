/** A page that a protection against robots sends in place of the requested one, with the texts of it. */
const PROTECTIONS: readonly (readonly [name: string, marks: readonly string[]])[] = [
  ['Akamai', ['bm-verify=', 'errors.edgesuite.net', 'errors&#46;edgesuite&#46;net']],
  ['Cloudflare', ['_cf_chl_opt', '<title>just a moment...</title>', '<title>attention required! | cloudflare</title>']],
  ['Imperva', ['incapsula incident id']],
  ['DataDome', ['captcha-delivery.com/captcha']],
  ['HUMAN', ['<div id="px-captcha"']],
  ['Sucuri', ['<title>sucuri website firewall - access denied</title>']],
];
/** Headers that announce such a page. */
const HEADERS: readonly (readonly [name: string, header: string])[] = [
  ['Cloudflare', 'cf-mitigated'],
  ['AWS WAF', 'x-amzn-waf-action'],
];
/** Maximum length of a page that is examined. Pages of a protection are short; a longer one only quotes the marks. */
const MAX_CHARACTERS = 64 * 1024;

interface Headers {
  has(name: string): boolean;
}

/** Returns the name of the protection against robots that sent a page in place of the requested one; else null. */
export function protectionOf(headers: Headers, page: string): string | null {
  const announced = HEADERS.find(([, header]) => headers.has(header));
  if (announced !== undefined) return announced[0];
  if (page.length > MAX_CHARACTERS) return null;
  const text = page.toLowerCase();
  return PROTECTIONS.find(([, marks]) => marks.some((mark) => text.includes(mark)))?.[0] ?? null;
}

const LOGIN_SEGMENTS: ReadonlySet<string> = new Set(
  'login log-in log_in logon log-on wp-login signin sign-in sign_in sso saml saml2 adfs oauth oauth2'.split(' '),
);
const LOGIN_HOSTS: ReadonlySet<string> = new Set('login signin sso auth accounts'.split(' '));

/** Returns true if the path or the first label of the host is that of a login page. */
export function isLogin({ hostname, pathname }: URL): boolean {
  const segments = pathname
    .toLowerCase()
    .split('/')
    .map((segment) => segment.split('.', 1)[0]!);
  return segments.some((segment) => LOGIN_SEGMENTS.has(segment)) || LOGIN_HOSTS.has(hostname.split('.', 1)[0]!);
}

/** Returns true for a page with a field for a password. No agenda has one. */
export function asksForPassword(page: string): boolean {
  return /<input\s[^>]{0,500}\btype\s?=\s?["']?password\b/i.test(page);
}
