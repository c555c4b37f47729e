import { createHash } from 'node:crypto';

/** Bytes of a fingerprint; as a text it is twice as many hexadecimal digits. */
export const FINGERPRINT_BYTES = 8;
export const EMPTY_FINGERPRINT = '00'.repeat(FINGERPRINT_BYTES);

/**
 * The fingerprint of a history that ends with this event, given the one of the history before it: the first eight bytes of the SHA-256 of
 * both. Two feeds that agree in position and fingerprint went the same way up to there. It is made of event ids alone, so that an erasure leaves it
 * as it is.
 */
export function nextFingerprint(before: string, eventId: string): string {
  return createHash('sha256')
    .update(before, 'hex')
    .update(eventId.replaceAll('-', ''), 'hex')
    .digest('hex')
    .slice(0, 2 * FINGERPRINT_BYTES);
}
