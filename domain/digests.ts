import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * The state digest of a resource is the sum modulo 2^256 of `recordDigest` over its current records, as 64 lower-case
 * hex digits.
 */
const MODULUS = 1n << 256n;
export const EMPTY_DIGEST = '0'.repeat(64);
/** Returns the SHA-256 of one current record, as hex. `data` is the canonical JSON text as published. */
export const recordDigest = (resource: string, id: string, data: string): string =>
  hash('sha256', `${resource}\n${id}\n${data}`, 'hex');
export const addDigest = (sum: bigint, digest: string): bigint => (sum + BigInt(`0x${digest}`)) % MODULUS;
export const subtractDigest = (sum: bigint, digest: string): bigint =>
  (sum - BigInt(`0x${digest}`) + MODULUS) % MODULUS;
export const digestText = (sum: bigint): string => sum.toString(16).padStart(64, '0');
export const digestSum = (text: string): bigint => BigInt(`0x${text}`);
/** Bytes of a fingerprint; as a text it is twice as many hexadecimal digits. */
export const FINGERPRINT_BYTES = 8;
export const EMPTY_FINGERPRINT = '00'.repeat(FINGERPRINT_BYTES);

/**
 * Returns the fingerprint after an event: the first eight bytes of the SHA-256 of the previous fingerprint and the
 * event's id. Feeds with equal position and fingerprint have the same history up to there. An erasure changes no id and
 * therefore no fingerprint.
 */
export function nextFingerprint(before: string, eventId: string): string {
  return hash('sha256', Buffer.from(before + eventId.replaceAll('-', ''), 'hex')).slice(0, 2 * FINGERPRINT_BYTES);
}

/**
 * Returns the RFC 8785 text of a JSON value. Throws for values that JSON cannot represent (NaN, Infinity, unpaired
 * surrogates, undefined at the top).
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}
