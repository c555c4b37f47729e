import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PaymentAnswer } from '../../../src/edge/admission/payments/paid-call.ts';
import { createPrice } from '../../../src/edge/admission/payments/payment-terms.ts';
import { paymentChallenge } from '../../../contract/tools/tool-results.ts';
import {
  COMMON_TOOL_CODES,
  PAID_TOOL_CODES,
  TOOL_ERRORS,
  type ToolErrorCode,
} from '../../../contract/tools/tool-errors.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { NETWORK } from '../../../domain/payments/payment.ts';
import { openWithFailing, openWithFailingMove } from '../../support/failing-ledger.ts';
import { paidOnChain, rowOf } from '../../support/payment-recovery.ts';
import {
  AMOUNT,
  billingOf,
  makePayer,
  PATIENT_TIMES,
  PAY_TO,
  readsNothing,
  type SentPayment,
  type TestPayments,
  useTestPayments,
} from '../../support/payments.ts';

const { shop, signed } = await useTestPayments();
const usual = { read: (): TestPayments['read'] => async () => '{"results":[]}' };

beforeEach(() => {
  shop.read = usual.read();
});

const seconds = (ahead: number): string => String(Math.floor(Date.now() / 1000) + ahead);

const accepted = (payment: SentPayment, changes: object): SentPayment => ({
  ...payment,
  accepted: { ...payment.accepted, ...changes },
});

const authorization = (payment: SentPayment, changes: object): SentPayment => ({
  ...payment,
  payload: { ...payment.payload, authorization: { ...payment.payload.authorization, ...changes } },
});

interface Produced {
  readonly answer: PaymentAnswer;
  /** Used to look up its outcome. */
  readonly payment?: SentPayment;
}

/** Every code that a payment of a tool can cause, with its cause. */
const PRODUCE: Partial<Record<ToolErrorCode, () => Promise<Produced>>> = {
  beta_unavailable: async () => ({
    answer: await shop.open({ facilitator: null }).payForRead(shop.call(await signed())),
  }),
  billing_channel_payment_mismatch: async () => {
    const billing = billingOf('subscription', { tier: 'pro', paidUntil: Date.now() + 1e9 });
    return {
      answer: await shop.ask(await signed(), {
        principal: { accountId: shop.accountId, keyId: randomUUID(), billing },
      }),
    };
  },
  billing_entitlement_required: async () => ({
    answer: await shop.ask(undefined, {
      principal: { accountId: shop.accountId, keyId: randomUUID(), billing: billingOf('subscription') },
    }),
  }),
  payment_invalid: async () => ({ answer: await shop.ask({ x402Version: 2, payload: 'mine' }) }),
  payment_expired: async () => {
    const payment = await shop.payer.payOtherwise(await shop.challenge(), { validBefore: seconds(10) });
    return { answer: await shop.ask(payment), payment };
  },
  payment_mismatch: async () => {
    const payment = accepted(await signed(), { payTo: `0x${'9'.repeat(40)}` });
    return { answer: await shop.ask(payment), payment };
  },
  payment_request_invalid: async () => {
    const payment = { ...(await signed()), resource: { url: 'mcp://tool/get_agenda_item' } };
    return { answer: await shop.ask(payment), payment };
  },
  payment_price_mismatch: async () => {
    const payment = await signed();
    shop.price = createPrice('20000', PAY_TO);
    return { answer: await shop.ask(payment), payment };
  },
  payment_price_unavailable: async () => {
    const payment = await signed();
    shop.price = null;
    return { answer: await shop.ask(payment), payment };
  },
  payment_access_denied: async () => {
    const payer = makePayer();
    await shop.ledger.bar(NETWORK, payer.address, true, Date.now());
    const payment = await payer.pay(await shop.challenge());
    return { answer: await shop.ask(payment), payment };
  },
  payment_replay_mismatch: async () => {
    const payment = await signed();
    await shop.ask(payment);
    return { answer: await shop.ask(payment, { arguments: { query: 'wine', limit: 10 } }) };
  },
  payment_budget_exceeded: async () => {
    const payment = await signed();
    return {
      answer: await shop.open({ budget: { perAccount: 1n, ofAll: 10n ** 12n } }).payForRead(shop.call(payment)),
      payment,
    };
  },
  payment_ledger_unavailable: async () => {
    const payment = await signed();
    return { answer: await openWithFailing(shop, 'reserve').payForRead(shop.call(payment)), payment };
  },
  payment_verification_unavailable: async () => {
    const payment = await signed();
    shop.facilitator.faults.verify = 'http_500';
    return { answer: await shop.ask(payment), payment };
  },
  payment_authorization_invalid: async () => {
    const payment = authorization(await signed(), { nonce: `0x${'7'.repeat(64)}` });
    return { answer: await shop.ask(payment), payment };
  },
  payment_settlement_failed: async () => {
    const payment = await signed();
    shop.facilitator.chain.fault = 'revert';
    return { answer: await shop.ask(payment) };
  },
  payment_in_progress: async () => {
    const payment = await signed();
    const { promise, resolve } = Promise.withResolvers<void>();
    const reading = Promise.withResolvers<void>();
    shop.read = async () => {
      reading.resolve();
      await promise;
      return '{}';
    };
    const first = shop.ask(payment);
    await reading.promise;
    const answer = await shop.ask(payment);
    resolve();
    await first;
    return { answer };
  },
  payment_reconciliation_required: async () => {
    const payment = await signed();
    shop.facilitator.chain.fault = 'lost';
    return { answer: await shop.ask(payment) };
  },
  payment_previous_read_failure: async () => {
    const payment = await signed();
    shop.read = () => Promise.reject(new Error('the index is gone'));
    await shop.ask(payment);
    return { answer: await shop.ask(payment), payment };
  },
  payment_previous_settlement_failure: async () => {
    const payment = await signed();
    shop.facilitator.chain.fault = 'revert';
    await shop.ask(payment);
    return { answer: await shop.ask(payment), payment };
  },
  payment_receipt_unavailable: async () => {
    const payment = await signed();
    return { answer: await openWithFailingMove(shop, 'SETTLED').payForRead(shop.call(payment)) };
  },
  empty_result_not_chargeable: async () => {
    const payment = await signed();
    shop.read = readsNothing;
    return { answer: await shop.ask(payment), payment };
  },
  read_timeout: async () => {
    const payment = await signed();
    shop.read = () => new Promise(() => undefined);
    return {
      answer: await shop.open({ times: { ...PATIENT_TIMES, readMs: 50 } }).payForRead(shop.call(payment)),
      payment,
    };
  },
  read_failed: async () => {
    const payment = await signed();
    shop.read = () => Promise.reject(new Error('the index is gone'));
    return { answer: await shop.ask(payment), payment };
  },
  read_result_too_large: async () => {
    const payment = await signed();
    shop.read = async () => `"${'é'.repeat(8_200)}"`;
    return { answer: await shop.ask(payment), payment };
  },
  read_result_not_saved: async () => {
    const payment = await signed();
    return { answer: await openWithFailingMove(shop, 'RESULT_SAVED').payForRead(shop.call(payment)), payment };
  },
};

/** The bare challenge is not an error object, and the search itself checks the cursor. */
const ELSEWHERE: ReadonlySet<ToolErrorCode> = new Set(['payment_required', 'invalid_cursor']);

/** The caller may sign again after these codes; the details contain how. */
const REPAYABLE: readonly string[] = [
  'payment_invalid',
  'payment_expired',
  'payment_mismatch',
  'payment_request_invalid',
  'payment_price_mismatch',
  'payment_authorization_invalid',
  'payment_settlement_failed',
  'payment_previous_read_failure',
  'payment_previous_settlement_failure',
  'read_timeout',
  'read_failed',
  'read_result_not_saved',
];

const WAITS: readonly string[] = [
  'payment_ledger_unavailable',
  'payment_verification_unavailable',
  'payment_in_progress',
  'payment_reconciliation_required',
  'payment_receipt_unavailable',
];

test('the table below has every code of a payment and no other', () => {
  const codes = PAID_TOOL_CODES.filter(
    (code) => !(COMMON_TOOL_CODES as readonly string[]).includes(code) && !ELSEWHERE.has(code),
  );
  expect(codes).toHaveLength(26);
  expect(Object.keys(PRODUCE).toSorted()).toEqual(codes.toSorted());
});

describe.each(Object.entries(PRODUCE))('%s', (code, produce) => {
  test('is answered with the next step, and moves no money that it does not report', async () => {
    const { answer, payment } = await produce();
    expect(answer).toMatchObject({ kind: 'error', code, message: TOOL_ERRORS[code as ToolErrorCode] });
    if (answer.kind !== 'error') return;
    const { paymentRequired: again } = (answer.details ?? {}) as { readonly paymentRequired?: unknown };
    if (REPAYABLE.includes(code))
      expect(paymentChallenge.parse(again).accepts[0]!.amount).toBe(shop.price!.terms.amount);
    else expect(again).toBeUndefined();
    expect(answer.retryAfterSeconds !== undefined).toBe(WAITS.includes(code));
    if (payment !== undefined) expect(paidOnChain(shop, payment)).toBe(0);
  });
});

test('refusals before a row exists leave none, and the same payment can be sent again', async () => {
  const before = Number((await shop.civic.rows('select count(*) from civic.payments'))[0]![0]);
  for (const code of [
    'payment_mismatch',
    'payment_expired',
    'payment_request_invalid',
    'payment_price_mismatch',
    'payment_authorization_invalid',
    'payment_budget_exceeded',
    'payment_access_denied',
    'payment_ledger_unavailable',
    'payment_verification_unavailable',
  ] as const) {
    const { payment } = await PRODUCE[code]!();
    expect(await rowOf(shop, payment!)).toBeNull();
    shop.price = createPrice(AMOUNT, PAY_TO);
    shop.facilitator.faults.verify = null;
    if (
      [
        'payment_budget_exceeded',
        'payment_ledger_unavailable',
        'payment_verification_unavailable',
        'payment_price_mismatch',
      ].includes(code)
    ) {
      expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
    }
  }
  expect(
    Number((await shop.civic.rows("select count(*) from civic.payments where state <> 'SETTLED'"))[0]![0]),
  ).toBeLessThanOrEqual(before);
});

test('an invalid signature is refused before any request to a facilitator', async () => {
  let requests = 0;
  const gullible = {
    verify: async () => ({ kind: ((requests += 1), 'valid') }) as const,
    settle: async () => ({ kind: 'settled', transaction: `0x${'e'.repeat(64)}` }) as const,
  };
  const payment = authorization(await signed(), { value: AMOUNT, nonce: `0x${'6'.repeat(64)}` });
  expect(await shop.open({ facilitator: gullible }).payForRead(shop.call(payment))).toMatchObject({
    code: 'payment_authorization_invalid',
  });
  expect(requests).toBe(0);
  expect(await rowOf(shop, payment)).toBeNull();
});

test('a verification that is refused as expired is reported as such, and no other refusal is', async () => {
  const late = shop.open({ times: { ...PATIENT_TIMES, settleMarginMs: 0 } });
  const payment = await shop.payer.payOtherwise(await shop.challenge(), { validBefore: seconds(4) });
  expect(await late.payForRead(shop.call(payment))).toMatchObject({
    code: 'payment_expired',
    details: { reason: expect.stringContaining('valid_before') },
  });
  const poor = makePayer();
  expect(await shop.ask(await poor.pay(await shop.challenge()))).toMatchObject({
    code: 'payment_authorization_invalid',
  });
  const early = await shop.payer.payOtherwise(await shop.challenge(), { validAfter: seconds(60) });
  expect(await shop.ask(early)).toMatchObject({ code: 'payment_authorization_invalid' });
  const long = await shop.payer.payOtherwise(await shop.challenge(), { validBefore: seconds(7_200) });
  expect(await shop.ask(long)).toMatchObject({
    code: 'payment_expired',
    message: 'the payment would be valid for too long',
  });
});

test('without a price there is no challenge, and a paid result stays available', async () => {
  const payment = await signed();
  const first = await shop.ask(payment);
  expect(first.kind).toBe('paid');
  shop.price = null;
  expect(await shop.ask(undefined)).toMatchObject({ code: 'payment_price_unavailable' });
  expect(await shop.ask(payment)).toEqual(first);
  shop.price = createPrice('99', PAY_TO);
  expect(await shop.ask(payment)).toEqual(first);
  // The answer is the same after the payment has expired.
  shop.clock.advance(3_600_000);
  expect(await shop.ask(payment)).toEqual(first);
});

test('a purged result is not read again: the payment is reported, and nothing is charged', async () => {
  const payment = await signed();
  await shop.ask(payment);
  expect(await shop.ledger.purgeResults(shop.clock.now() + 1)).toBeGreaterThan(0);
  const { reads } = shop;
  expect(await shop.ask(payment)).toMatchObject({ code: 'payment_receipt_unavailable' });
  expect(shop.reads).toBe(reads);
  expect(paidOnChain(shop, payment)).toBe(1);
});

test('an error of the caller that only the read finds is answered, and the payment stays valid', async () => {
  const payment = await signed();
  shop.read = () => Promise.reject(new Rejection('invalid_parameter', 'the cursor is of another search'));
  expect(await shop.ask(payment)).toMatchObject({ code: 'invalid_cursor', message: 'the cursor is of another search' });
  expect(await rowOf(shop, payment)).toBeNull();
  shop.read = usual.read();
  expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
});

test('a read that is refused because too many run names a time, and the payment stays valid', async () => {
  const payment = await signed();
  shop.read = () => Promise.reject(new Rejection('rate_limited', 'too many', { retryAfterSeconds: 1 }));
  expect(await shop.ask(payment)).toMatchObject({ kind: 'error', code: 'rate_limited', retryAfterSeconds: 1 });
  expect(await rowOf(shop, payment)).toBeNull();
  shop.read = usual.read();
  expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
  expect(paidOnChain(shop, payment)).toBe(1);
});
