import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PaymentRefused } from '../../src/edge/admission/payments/paid-call.ts';
import { readPayment, requestHash, termsHash } from '../../src/edge/admission/payments/payment-terms.ts';
import { checkChannel } from '../../src/edge/admission/payments/pay-for-read.ts';
import { billingOf } from '../support/payments.ts';

const hex = (bytes: number, digit = 'a') => `0x${digit.repeat(bytes * 2)}`;
const good = () => ({
  x402Version: 2,
  resource: { url: 'mcp://tool/search_agenda' },
  accepted: {
    scheme: 'exact',
    network: 'eip155:84532',
    asset: hex(20, '3'),
    amount: '10000',
    payTo: hex(20, 'b'),
    maxTimeoutSeconds: 120,
    extra: { name: 'USDC', version: '2' },
  },
  payload: {
    signature: hex(65, 'c'),
    authorization: {
      from: hex(20),
      to: hex(20, 'b'),
      value: '10000',
      validAfter: '0',
      validBefore: '1800000000',
      nonce: hex(32, 'd'),
    },
  },
});
function refusal(payment: unknown) {
  try {
    readPayment(payment, 'search_agenda');
    return null;
  } catch (error) {
    return error as PaymentRefused;
  }
}

describe('the shape of a payment', () => {
  test('is the official one, with hex digits in any case', () => {
    const { signed, key, boundTo } = readPayment(
      { ...good(), more: 1, accepted: { ...good().accepted, payTo: hex(20, 'B') } },
      'search_agenda',
    );
    expect(key).toEqual({ network: 'eip155:84532', asset: hex(20, '3'), payer: hex(20), nonce: hex(32, 'd') });
    expect(signed).toEqual({
      accepted: {
        scheme: 'exact',
        network: 'eip155:84532',
        asset: hex(20, '3'),
        amount: '10000',
        payTo: hex(20, 'b'),
        extra: { name: 'USDC', version: '2' },
      },
      authorization: good().payload.authorization,
      signature: hex(65, 'c'),
      resourceUrl: 'mcp://tool/search_agenda',
    });
    expect(boundTo).toBe('mcp://tool/search_agenda');
  });

  test('is refused if any field is missing or invalid, and the refusal contains no value', () => {
    const spoilt = [
      '',
      '0x',
      'zz',
      hex(19),
      hex(33),
      '-1',
      '1.5',
      '01',
      '1e9',
      '9'.repeat(79),
      null,
      5,
      {},
      [],
      '\u0000',
      '\ud800',
    ];
    const leaves: (readonly string[])[] = [];
    const walk = (value: unknown, path: readonly string[]): void => {
      if (typeof value !== 'object' || value === null) leaves.push(path);
      else for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
    };
    const { resource: _, ...required } = good();
    walk(required, []);
    expect(leaves).toHaveLength(16);
    const set = (path: readonly string[], value: unknown) => {
      const payment = good() as Record<string, unknown>;
      const last = path.at(-1)!;
      const holder = path.slice(0, -1).reduce((each, name) => each[name] as Record<string, unknown>, payment);
      if (value === undefined) delete holder[last];
      else holder[last] = value;
      return payment;
    };
    for (const path of leaves) {
      expect(refusal(set(path, undefined))?.code).toBe('payment_invalid');
      for (const value of [null, {}, [], '\u0000'])
        expect([path, value, refusal(set(path, value))?.code]).toEqual([path, value, 'payment_invalid']);
    }
    for (const path of leaves.filter((each) =>
      ['from', 'to', 'nonce', 'asset', 'payTo', 'signature'].includes(each.at(-1)!),
    )) {
      for (const value of spoilt)
        expect([path, value, refusal(set(path, value))?.code]).toEqual([path, value, 'payment_invalid']);
    }
    const message = refusal(set(['payload', 'signature'], 'my-very-secret'));
    expect(JSON.stringify(message)).not.toContain('my-very-secret');
    expect(message?.details).toEqual({ issues: [{ path: ['payload', 'signature'], code: 'invalid_format' }] });
  });

  test('is read from any value or refused as invalid', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.jsonValue(),
          fc.record({ x402Version: fc.constant(2), accepted: fc.anything(), payload: fc.anything() }),
        ),
        (payment) => {
          expect(refusal(payment)?.code).toBe('payment_invalid');
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the hashes', () => {
  test('cover the request and the agreed terms, in any order of their keys', () => {
    expect(requestHash('search_agenda', { query: 'a', limit: 10 })).toBe(
      requestHash('search_agenda', { limit: 10, query: 'a' }),
    );
    const different = [
      requestHash('search_agenda', { query: 'a', limit: 10 }),
      requestHash('search_agenda', { query: 'a', limit: 11 }),
      requestHash('search_agenda', { query: 'b', limit: 10 }),
      requestHash('get_agenda_item', { query: 'a', limit: 10 }),
    ];
    expect(new Set(different).size).toBe(4);
  });

  test('of the terms do not depend on the encoding of the signature, but on every signed word', () => {
    const { signed } = readPayment(good(), 'search_agenda');
    expect(termsHash({ ...signed, signature: '0x11' })).toBe(termsHash(signed));
    const { accepted, authorization } = signed;
    for (const change of [
      { accepted: { ...accepted, amount: '1' } },
      { accepted: { ...accepted, payTo: hex(20, '1') } },
      { authorization: { ...authorization, value: '1' } },
      { authorization: { ...authorization, validBefore: '1' } },
      { resourceUrl: 'mcp://tool/get_agenda_item' },
    ]) {
      expect(termsHash({ ...signed, ...change })).not.toBe(termsHash(signed));
    }
  });
});

describe('the gate of the channel', () => {
  const NOW = Date.UTC(2026, 0, 1);
  const gate = (
    channel: 'unset' | 'subscription' | 'payg',
    more: { paid?: boolean; open?: boolean; attached?: boolean; enforced?: boolean },
  ) => {
    const { paid = false, open = true, attached = false, enforced = true } = more;
    try {
      return checkChannel(
        'search_agenda',
        { facts: billingOf(channel, { paidUntil: paid ? NOW + 1 : null }), enforced, now: NOW },
        { open, attached },
      );
    } catch (error) {
      return (error as PaymentRefused).code;
    }
  };
  test.each([
    ['payg', {}, 'pay'],
    ['payg', { attached: true }, 'pay'],
    ['payg', { open: false }, 'beta_unavailable'],
    ['payg', { open: false, attached: true }, 'beta_unavailable'],
    ['payg', { enforced: false, attached: true, open: false }, 'serve'],
    ['subscription', { paid: true }, 'serve'],
    ['subscription', { paid: true, attached: true }, 'billing_channel_payment_mismatch'],
    ['subscription', { attached: true }, 'billing_channel_payment_mismatch'],
    ['subscription', { attached: true, open: false }, 'beta_unavailable'],
    ['subscription', {}, 'billing_entitlement_required'],
    ['subscription', { enforced: false, attached: true }, 'billing_channel_payment_mismatch'],
    ['unset', {}, 'billing_entitlement_required'],
    ['unset', { enforced: false }, 'serve'],
    ['unset', { attached: true }, 'billing_channel_payment_mismatch'],
  ] as const)('%s with %o: %s', (channel, more, outcome) => {
    expect(gate(channel, more)).toBe(outcome);
  });
});
