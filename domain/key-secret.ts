import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The variable from which a client of a service takes its key; no setting of the service. */
export const API_KEY_VARIABLE = 'CIVIC_API_KEY';

/** `crs_`, 40 random base62 characters, `_`, 6 of checksum, which tells a typo from an unknown key and marks leaked keys for scanners. */
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

/** 238 random bits. */
export function makeKeySecret(randomBytes: RandomBytes): string {
  let random = '';
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte: without the cut some characters would be likelier than others.
      if (byte < 248 && random.length < RANDOM_LENGTH) random += BASE62.charAt(byte % 62);
    }
  }
  const stem = `crs_${random}`;
  return `${stem}_${checksum(stem)}`;
}

/** Whether a text has the form and the checksum of a key's secret, independent of whether the key exists. */
export const isKeySecret = (text: string): boolean => SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -1 - CHECKSUM_LENGTH)));
const WITHIN = /crs_[0-9A-Za-z]{32,64}_[0-9A-Za-z]{6}/g;
export const holdsKeySecret = (text: string): boolean => (text.match(WITHIN) ?? []).some(isKeySecret);
/** A text for a message, with everything that resembles a key cut to its prefix. */
export const withoutSecrets = (text: string): string => text.replaceAll(/crs_[0-9A-Za-z_]+/g, 'crs_…');
/** The stored hash of a secret: 64 lower-case hex digits. */
export const keySecretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The reason why a customer's text must not be stored, without the text; null where it may be stored. */
export function notStorable(text: string): string | null {
  // PostgreSQL stores neither, and an event cannot be removed: a projector would pause at it.
  if (!text.isWellFormed() || text.includes('\0')) return 'the text holds U+0000 or half a character';
  return holdsKeySecret(text) ? 'the text holds an API key; a key is sent in the Authorization header alone' : null;
}
