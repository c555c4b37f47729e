import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Environment variable with the key of a client. It is not a setting of the service. */
export const API_KEY_VARIABLE = 'CIVIC_API_KEY';

/**
 * A secret is `crs_`, 40 random base62 characters, `_` and a checksum of 6. The checksum distinguishes a typo from an
 * unknown key and helps scanners find leaked keys.
 */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^crs_[0-9A-Za-z]{32,64}_[0-9A-Za-z]{6}$/;

export type RandomBytes = (count: number) => Uint8Array;

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Creates a secret of 238 random bits. */
export function makeKeySecret(randomBytes: RandomBytes): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte; larger values would make some characters more likely.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += BASE62.charAt(byte % 62);
    }
  }
  const stem = `crs_${random}`;
  return `${stem}_${checksum(stem)}`;
}

/** True if a text has the form and the checksum of a secret. The key might not exist. */
export const isKeySecret = (text: string): boolean =>
  SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -1 - CHECKSUM_LENGTH)));
const WITHIN = /crs_[0-9A-Za-z]{32,64}_[0-9A-Za-z]{6}/g;
export const holdsKeySecret = (text: string): boolean => (text.match(WITHIN) ?? []).some(isKeySecret);
/** Returns a text for a message, with everything that resembles a key cut to its prefix. */
export const withoutSecrets = (text: string): string => text.replaceAll(/crs_[0-9A-Za-z_]+/g, 'crs_…');
/** Returns the stored hash of a secret: 64 lower-case hex digits. */
export const keySecretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns the reason why a customer's text must not be stored, without the text; null if it may be stored. */
export function notStorable(text: string): string | null {
  // PostgreSQL can store neither, and an event cannot be removed: a projector would pause at it.
  if (!text.isWellFormed() || text.includes('\0')) return 'the text contains a NUL character or an unpaired surrogate';
  return holdsKeySecret(text) ? 'the text contains an API key; send a key in the Authorization header only' : null;
}
