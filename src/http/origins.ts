/**
 * What becomes of a request by its `Origin` header, which a page cannot forge, whatever name it was reached by: `none` where there is no
 * such header, as with every program that is no browser.
 */
export const judgeOrigin = (allowed: readonly string[], origin: string | undefined): 'none' | 'allowed' | 'foreign' => {
  if (origin === undefined) return 'none';
  return allowed.includes(origin.toLowerCase()) ? 'allowed' : 'foreign';
};

const REQUEST_HEADERS = 'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const ANSWER_HEADERS = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy';

/** What lets an allowed page read an answer. */
export const crossOriginHeaders = (origin: string): Readonly<Record<string, string>> => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': ANSWER_HEADERS,
  vary: 'Origin',
});

/** What lets an allowed page ask at all. */
export const preflightHeaders = (origin: string): Readonly<Record<string, string>> => ({
  ...crossOriginHeaders(origin),
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': REQUEST_HEADERS,
  'access-control-max-age': '600',
});
