import { createHash, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsKeySecret, isKeySecret, keySecretHash, makeKeySecret } from '../../domain/key-secret.ts';

test('a new secret has the published form and is recognised', () => {
  const secret = makeKeySecret(randomBytes);
  expect(secret).toMatch(/^crs_[0-9A-Za-z]{32,}_[0-9A-Za-z]+$/);
  expect(isKeySecret(secret)).toBe(true);
});

test('a secret is found within any text, and a text that resembles one is not', () => {
  const secret = makeKeySecret(randomBytes);
  for (const text of [secret, `key:${secret}.`, `crs_${secret}${secret}`, `\u{1f511}${secret}_x`, `${secret}A`])
    expect(holdsKeySecret(text)).toBe(true);
  for (const text of [
    '',
    'crs_',
    secret.slice(0, -1),
    secret.replace('crs_', 'CRS_'),
    `crs_${'a'.repeat(40)}_${'b'.repeat(6)}`,
  ]) {
    expect(holdsKeySecret(text)).toBe(false);
  }
});

test('a secret with any one character changed is not recognised', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_- '.split('')),
      (where, character) => {
        const secret = makeKeySecret(randomBytes);
        const at = where % secret.length;
        fc.pre(secret.charAt(at) !== character);
        expect(isKeySecret(secret.slice(0, at) + character + secret.slice(at + 1))).toBe(false);
      },
    ),
  );
});

test('every character of the alphabet is equally likely: bytes that would favour some are discarded', () => {
  const counts = new Map<string, number>();
  let next = 0;
  const everyByte = (count: number) => Uint8Array.from({ length: count }, () => next++ & 0xff);
  // 248 usable bytes in each 256 make 4 of each of the 62 characters; 40 x 31 = 1240 characters use 1240 / 248 = 5 whole rounds.
  for (let secrets = 0; secrets < 31; secrets += 1) {
    for (const character of makeKeySecret((count) => everyByte(Math.min(count, 8))).slice(4, 44)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  expect([...new Set(counts.values())]).toEqual([20]);
  expect(counts.size).toBe(62);
});

test('the stored value is the SHA-256 of the whole secret', () => {
  expect(keySecretHash('crs_x')).toBe(createHash('sha256').update('crs_x').digest('hex'));
});
