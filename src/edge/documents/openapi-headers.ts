import { PUBLIC_CACHE } from '../../../contract/operation.ts';

const text = (description: string, example: string, extra: object = {}) => ({
  description,
  required: true,
  schema: { type: 'string', ...extra },
  example,
});
const optional = (description: string, example: string) => ({ ...text(description, example), required: false });

export const HEADERS = {
  NoStore: text('Clients must not cache the answer.', 'no-store', { const: 'no-store' }),
  PublicCache: text(
    'Shared caches may keep the answer; `no-store` where a failure of the service made it empty.',
    PUBLIC_CACHE,
    {
      enum: [PUBLIC_CACHE, 'no-store'],
    },
  ),
  DocumentCache: text('Shared caches may keep the answer.', 'public, s-maxage=3600', {
    const: 'public, s-maxage=3600',
  }),
  ETag: text('A strong validator of the body, for `If-None-Match`.', '"5d0b1f6f0c1c5b2f"'),
  RequestId: text('Names the request in the logs of the service.', '0197a3c4-5d6e-7f80-8a9b-0c1d2e3f4a5b-17'),
  RetryAfter: {
    description: 'Whole seconds to the end of the exhausted window, at least 1. Sent with 429 and with nothing else.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  WwwAuthenticate: text('How to authenticate.', 'Bearer'),
  RateLimit: optional(
    'What is left of the allowances that the request looked at: `r`, and `t` seconds to the end of the window, where there is one. Left out where a request was refused before.',
    '"minute";r=117;t=42, "burst";r=29;t=1',
  ),
  RateLimitPolicy: optional(
    'The allowances: `q` in `w` seconds, or `q` at a time. Sent with `RateLimit`.',
    '"minute";q=120;w=60, "burst";q=30;w=1',
  ),
} as const;

type HeaderMap = Readonly<Record<string, { readonly $ref: string }>>;
const headers = (entries: Readonly<Record<string, keyof typeof HEADERS>>): HeaderMap =>
  Object.fromEntries(
    Object.entries(entries).map(([name, header]) => [name, { $ref: `#/components/headers/${header}` }]),
  );

const ALLOWANCES = { RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' } as const;

export const successHeaders = ({
  access,
  cacheControl,
}: {
  readonly access: 'public' | 'key';
  readonly cacheControl?: string;
}): HeaderMap =>
  access === 'public'
    ? headers({
        'Cache-Control': cacheControl === PUBLIC_CACHE ? 'PublicCache' : 'DocumentCache',
        ETag: 'ETag',
        'X-Request-Id': 'RequestId',
      })
    : headers({ 'Cache-Control': 'NoStore', 'X-Request-Id': 'RequestId', ...ALLOWANCES });

/** Returns the headers of a refusal. A public one has no cache directive. */
export const refusalHeaders = (access: 'public' | 'key' | 'closed', status: number): HeaderMap =>
  headers({
    ...(access === 'public' ? {} : { 'Cache-Control': 'NoStore' }),
    'X-Request-Id': 'RequestId',
    ...(access === 'key' && status !== 401 ? ALLOWANCES : {}),
    ...(status === 429 ? { 'Retry-After': 'RetryAfter' } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': 'WwwAuthenticate' } : {}),
  });
