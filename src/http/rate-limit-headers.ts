import type { BucketState } from '../domain/ports/window-counts.ts';

/** Customers know the buckets by the last part of their names. */
const nameOf = ({ bucket }: BucketState): string => bucket.name.replace(/^api-customer-/, '');

/** `RateLimit-Policy` and `RateLimit` as structured fields of draft-ietf-httpapi-ratelimit-headers: units, seconds, whole numbers. */
export const rateLimitHeaders = (states: readonly BucketState[]): Readonly<Record<'ratelimit-policy' | 'ratelimit', string>> => ({
  'ratelimit-policy': states.map((state) => `"${nameOf(state)}";q=${state.bucket.limit};w=${state.bucket.seconds}`).join(', '),
  ratelimit: states.map((state) => `"${nameOf(state)}";r=${state.remaining};t=${state.resetSeconds}`).join(', '),
});
