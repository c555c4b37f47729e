import { PUBLIC_CACHE } from '../../../contract/operation.ts';

/** Pages show texts of others: nothing may be loaded from elsewhere, and no script runs. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

export const cachedPageHeaders = (contentType: string) => ({
  'content-type': contentType,
  'cache-control': PUBLIC_CACHE,
  ...PAGE_HEADERS,
});

/** A body may get a former slug back. */
export const MOVED_HEADERS = { 'cache-control': PUBLIC_CACHE } as const;

export const ERROR_PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  vary: 'Accept',
  ...PAGE_HEADERS,
} as const;
