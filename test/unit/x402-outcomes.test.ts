import type { SettleResponse } from '@x402/core/types';
import { describe, expect, test } from 'vitest';
import { reasonWord, settlement, verification } from '../../infra/x402/facilitator.ts';
import { ASSET, NETWORK, type SignedPayment } from '../../domain/payments/payment.ts';

const PAYER = `0x${'a'.repeat(40)}`;
const HASH = `0x${'c'.repeat(64)}`;
const payment: SignedPayment = {
  accepted: {
    scheme: 'exact',
    network: NETWORK,
    asset: ASSET,
    amount: '10',
    payTo: `0x${'b'.repeat(40)}`,
    extra: { name: 'USDC', version: '2' },
  },
  authorization: {
    from: PAYER,
    to: `0x${'b'.repeat(40)}`,
    value: '10',
    validAfter: '0',
    validBefore: '9',
    nonce: HASH,
  },
  signature: '0x00',
  resourceUrl: 'mcp://tool/search_agenda',
};
const settle = (response: Partial<Record<keyof SettleResponse, unknown>>) =>
  settlement({ network: NETWORK, transaction: '', success: false, ...response } as SettleResponse, payment).kind;

describe('a settlement', () => {
  test('succeeds only with the transaction hash of this payer on this network, for this amount', () => {
    expect(
      settlement({ success: true, network: NETWORK, transaction: HASH.toUpperCase().replace('0X', '0x') }, payment),
    ).toEqual({
      kind: 'settled',
      transaction: HASH,
    });
    expect(
      settle({ success: true, transaction: HASH, payer: PAYER.toUpperCase().replace('0X', '0x'), amount: '10' }),
    ).toBe('settled');
    for (const other of [
      { transaction: '' },
      { transaction: '0x' },
      { transaction: `0x${'0'.repeat(64)}` },
      { transaction: `${HASH}00` },
      { transaction: HASH, network: 'eip155:1' },
      { transaction: HASH, payer: `0x${'9'.repeat(40)}` },
      { transaction: HASH, amount: '9' },
    ]) {
      expect([other, settle({ success: true, ...other })]).toEqual([other, 'unknown']);
    }
  });

  test.each([
    'invalid_exact_evm_signature',
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_insufficient_balance',
    'insufficient_funds',
  ])(
    'refused as %s before anything was sent is final without a hash, and of unknown outcome with one',
    (errorReason) => {
      expect(settle({ errorReason })).toBe('refused');
      expect(settle({ errorReason, transaction: HASH })).toBe('unknown');
    },
  );

  test.each([
    ['a revert, with its hash', { errorReason: 'invalid_exact_evm_transaction_failed', transaction: HASH }, 'refused'],
    [
      'the same without a hash: the node may have sent it',
      { errorReason: 'invalid_exact_evm_transaction_failed' },
      'unknown',
    ],
    [
      'the same with a message: the library could not keep the pending transaction in mind',
      {
        errorReason: 'invalid_exact_evm_transaction_failed',
        transaction: HASH,
        errorMessage: 'settlement_pending, but failed to persist for retry',
      },
      'unknown',
    ],
    ['pending', { errorReason: 'settlement_pending', transaction: HASH, errorMessage: 'no receipt' }, 'unknown'],
    ['a used nonce: by this payment, perhaps', { errorReason: 'invalid_exact_evm_nonce_already_used' }, 'unknown'],
    [
      'a failed simulation: of a used nonce, perhaps',
      { errorReason: 'invalid_exact_evm_transaction_simulation_failed' },
      'unknown',
    ],
    [
      'another transfer than ours in the transaction',
      { errorReason: 'invalid_exact_evm_transfer_event_mismatch', transaction: HASH },
      'unknown',
    ],
    ['an unknown reason', { errorReason: 'because' }, 'unknown'],
    ['no reason', {}, 'unknown'],
    ['a hash that is none beside a refusal', { errorReason: 'insufficient_funds', transaction: 'soon' }, 'unknown'],
  ])('%s', (_, response, kind) => {
    expect(settle(response)).toBe(kind);
  });
});

describe('a verification', () => {
  test('is valid for this payer only, and an expiry is distinguished from other refusals', () => {
    expect(verification({ isValid: true, payer: PAYER }, payment).kind).toBe('valid');
    expect(verification({ isValid: true }, payment).kind).toBe('valid');
    expect(verification({ isValid: true, payer: `0x${'9'.repeat(40)}` }, payment).kind).toBe('unavailable');
    expect(
      verification({ isValid: false, invalidReason: 'invalid_exact_evm_payload_authorization_valid_before' }, payment),
    ).toMatchObject({
      expired: true,
    });
    expect(verification({ isValid: false, invalidReason: 'invalid_exact_evm_signature' }, payment)).toMatchObject({
      kind: 'refused',
      expired: false,
    });
  });
});

test('a reason is one word, and any other text is replaced by "unrecognised"', () => {
  expect(reasonWord('insufficient_funds')).toBe('insufficient_funds');
  for (const text of [
    undefined,
    '',
    'Bad Signature',
    `0x${'ab'.repeat(20)}`,
    'ab'.repeat(40),
    '{"signature":1}',
    'a'.repeat(81),
    `payer_${'0123456789abcdef'.repeat(2)}`,
  ]) {
    expect(reasonWord(text)).toBe('unrecognised');
  }
});
