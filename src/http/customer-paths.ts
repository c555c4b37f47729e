/** Paths whose every answer is `Cache-Control: no-store`, the router's own refusals included. */
const PREFIXES = ['/api/v1/data', '/api/v1/data-reports', '/api/v1/mcp', '/api/mcp'];

/** Of a request target as received: with its query, percent-encoded, well formed or not. */
export const isCustomerPath = (target: string): boolean => {
  const path = pathOf(target);
  return PREFIXES.some((prefix) => isBelow(path, prefix));
};

/** Paths whose refusals are of the report envelope. */
export const isReportPath = (target: string): boolean => isBelow(pathOf(target), '/api/v1/data-reports');

const pathOf = (target: string): string => {
  const end = target.search(/[?#]/);
  const raw = end === -1 ? target : target.slice(0, end);
  return raw.includes('%') ? raw.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))) : raw;
};

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path.charAt(prefix.length) === '/');
