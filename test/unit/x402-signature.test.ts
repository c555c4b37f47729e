import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { checkSignature } from '../../infra/x402/open.ts';
import { challengeFor, createPrice, readPayment } from '../../src/edge/admission/payments/payment-terms.ts';
import { makePayer, PAY_TO, type SentPayment } from '../support/payments.ts';

const challenge = challengeFor('search_agenda', createPrice('10000', PAY_TO)!);
function check(payment: SentPayment) {
  const { accepted, authorization, signature } = readPayment(payment, 'search_agenda').signed;
  return checkSignature(authorization, accepted, signature);
}
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('the offline check of a signature', () => {
  test('accepts a signature of the official client', async () => {
    expect(await check(await makePayer().pay(challenge))).toBe(true);
  });

  test('refuses a signature of any other authorization or terms', async () => {
    const payment = await makePayer().pay(challenge);
    const other = privateKeyToAccount(generatePrivateKey()).address;
    const changes: readonly Record<string, string>[] = [
      { from: other },
      { to: other },
      { value: '10001' },
      { validAfter: '1' },
      { validBefore: '9999999999' },
      { nonce: `0x${'1'.repeat(64)}` },
    ];
    for (const change of changes) {
      const changed = {
        ...payment,
        payload: { ...payment.payload, authorization: { ...payment.payload.authorization, ...change } },
      };
      expect([change, await check(changed)]).toEqual([change, false]);
    }
    for (const change of [
      { asset: other },
      { extra: { name: 'USD Coin', version: '2' } },
      { extra: { name: 'USDC', version: '1' } },
    ]) {
      expect([change, await check({ ...payment, accepted: { ...payment.accepted, ...change } })]).toEqual([
        change,
        false,
      ]);
    }
  });

  test('refuses a mirrored signature, as the contract of the asset does, and invalid bytes', async () => {
    const payment = await makePayer().pay(challenge);
    const { signature } = payment.payload;
    const mirrored = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    const flipped = signature.endsWith('1b') ? '1c' : '1b';
    for (const bad of [
      `${signature.slice(0, 66)}${mirrored}${flipped}`,
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      `${signature}00`,
      `0x${'12'.repeat(200)}`,
    ]) {
      expect(await check({ ...payment, payload: { ...payment.payload, signature: bad } })).toBe(false);
    }
  });
});
