import { describe, expect, test } from 'vitest';
import { facilitatorOf, httpFacilitator } from '../../../infra/x402/facilitator.ts';
import type { Facilitator } from '../../../domain/ports/payments.ts';
import { afterwards, expectAgreement, paidOnChain, rowOf } from '../../support/payment-recovery.ts';
import { PATIENT, type SentPayment, useTestPayments } from '../../support/payments.ts';
import type { ChainFault } from '../../support/x402-chain.ts';
import {
  type HttpFault,
  type LocalFacilitator,
  type Operation,
  startLocalFacilitator,
} from '../../support/x402-facilitator.ts';

const { shop, signed } = await useTestPayments();

/** A facilitator over HTTP and one in this process, with the same chain. */
const ways = {
  'over HTTP': () => shop.open(),
  'in process': () => shop.open({ facilitator: facilitatorOf(shop.facilitator.client) }),
};

/** Short timeouts for answers that do not arrive. */
const impatient = (fault: HttpFault) => (fault === 'hang' ? shop.open({ facilitator: halfPatient() }) : shop.open());

function halfPatient(): Facilitator {
  const short = httpFacilitator(shop.facilitator.url, { verifyMs: 700, settleMs: 700 });
  const long = httpFacilitator(shop.facilitator.url, PATIENT);
  const hangsAt = (operation: Operation) => shop.facilitator.faults[operation] === 'hang';
  return {
    verify: (payment) => (hangsAt('verify') ? short : long).verify(payment),
    settle: (payment) => (hangsAt('settle') ? short : long).settle(payment),
  };
}

describe.each(Object.entries(ways))('%s', (_, open) => {
  test('a facilitator without a node verifies nothing, and the same payment can be sent again', async () => {
    const payment = await signed();
    shop.facilitator.chain.fault = 'rpc_down';
    const answer = await open().payForRead(shop.call(payment));
    expect(answer).toMatchObject({ kind: 'error' });
    expect(['payment_authorization_invalid', 'payment_verification_unavailable']).toContain(
      answer.kind === 'error' && answer.code,
    );
    expect(await rowOf(shop, payment)).toBeNull();
    shop.facilitator.chain.fault = null;
    expect(await open().payForRead(shop.call(payment))).toMatchObject({ kind: 'paid' });
  });

  test.each<[ChainFault, string, string, number]>([
    ['revert', 'payment_settlement_failed', 'SETTLE_FAILED', 0],
    ['pending', 'payment_reconciliation_required', 'RECONCILE', 1],
    ['pending_once', 'payment_reconciliation_required', 'RECONCILE', 1],
    ['lost', 'payment_reconciliation_required', 'RECONCILE', 1],
  ])(
    'settling with the chain in the mode %s is answered %s, the row is %s, and money has moved %d times',
    async (fault, code, state, paid) => {
      const payment = await signed();
      shop.facilitator.chain.fault = fault;
      const answer = await open().payForRead(shop.call(payment));
      expect(answer).toMatchObject({ kind: 'error', code });
      expect(JSON.stringify(answer)).not.toContain('Water main');
      expect(await rowOf(shop, payment)).toMatchObject({ state });
      expect(paidOnChain(shop, payment)).toBe(paid);
      await expectAgreement(shop, open(), payment);
    },
  );

  test('the worker finds a pending settlement without a second transaction, and then the data is available', async () => {
    const payment = await signed();
    shop.facilitator.chain.fault = 'pending_once';
    await open().payForRead(shop.call(payment));
    const { broadcasts } = shop.facilitator.chain;
    expect(await afterwards(shop, open(), payment)).toMatchObject({ kind: 'paid' });
    expect(shop.facilitator.chain.broadcasts).toBe(broadcasts);
    await expectAgreement(shop, open(), payment);
  });

  test('a node lost between verification and settlement leaves the outcome unknown, and no money moved', async () => {
    const payment = await signed();
    shop.read = async () => {
      shop.facilitator.chain.fault = 'rpc_down';
      return '{"late":true}';
    };
    expect(await open().payForRead(shop.call(payment))).toMatchObject({ code: 'payment_reconciliation_required' });
    expect(paidOnChain(shop, payment)).toBe(0);
    shop.facilitator.chain.fault = null;
    expect(await afterwards(shop, open(), payment)).toMatchObject({ kind: 'paid', text: '{"late":true}' });
    await expectAgreement(shop, open(), payment);
  });
});

describe('the facilitator itself', () => {
  test.each<[HttpFault, string]>([
    ['http_500', 'payment_verification_unavailable'],
    ['hang', 'payment_verification_unavailable'],
    ['bad_json', 'payment_verification_unavailable'],
    ['wrong_shape', 'payment_verification_unavailable'],
    ['echo_500', 'payment_verification_unavailable'],
    ['http_400_refusal', 'payment_authorization_invalid'],
  ])('in the mode %s at verify is answered %s; nothing is read, kept or settled', async (fault, code) => {
    const payment = await signed();
    shop.facilitator.faults.verify = fault;
    const { reads } = shop;
    expect(await impatient(fault).payForRead(shop.call(payment))).toMatchObject({ kind: 'error', code });
    expect(shop.reads).toBe(reads);
    expect(await rowOf(shop, payment)).toBeNull();
    expect(paidOnChain(shop, payment)).toBe(0);
    shop.facilitator.faults.verify = null;
    expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
  });

  test.each<[HttpFault, number]>([
    ['http_500', 0],
    ['hang', 0],
    ['bad_json', 0],
    ['wrong_shape', 0],
    ['echo_500', 0],
    ['done_then_500', 1],
  ])(
    'in the mode %s at settle leaves the outcome unknown (money has moved %d times), and no data leaves',
    async (fault, paid) => {
      const payment = await signed();
      shop.facilitator.faults.settle = fault;
      const answer = await impatient(fault).payForRead(shop.call(payment));
      expect(answer).toMatchObject({ kind: 'error', code: 'payment_reconciliation_required', retryAfterSeconds: 5 });
      expect(await rowOf(shop, payment)).toMatchObject({ state: 'RECONCILE' });
      expect(paidOnChain(shop, payment)).toBe(paid);
      shop.facilitator.faults.settle = null;
      const later = await afterwards(shop, shop.open(), payment);
      // The facilitator only reports a used nonce for a settled payment; the chain or an operator decides.
      expect(later).toMatchObject(paid === 0 ? { kind: 'paid' } : { code: 'payment_reconciliation_required' });
      await expectAgreement(shop, shop.open(), payment);
    },
  );

  test('in the mode http_400_refusal at settle refuses the payment: no money, no data, and a final row', async () => {
    const payment = await signed();
    shop.facilitator.faults.settle = 'http_400_refusal';
    expect(await shop.ask(payment)).toMatchObject({ kind: 'error', code: 'payment_settlement_failed' });
    expect(await rowOf(shop, payment)).toMatchObject({
      state: 'SETTLE_FAILED',
      cause: 'invalid_exact_evm_insufficient_balance',
    });
    shop.facilitator.faults.settle = null;
    expect(await shop.ask(payment)).toMatchObject({ code: 'payment_previous_settlement_failure' });
    expect(paidOnChain(shop, payment)).toBe(0);
    await expectAgreement(shop, shop.open(), payment);
  });

  test('with a closed port verifies nothing; if the port closes during the read, the outcome is unknown', async () => {
    const other: LocalFacilitator = await startLocalFacilitator();
    other.chain.fund(shop.payer.address, 1_000_000n);
    const payments = shop.open({ facilitator: httpFacilitator(other.url, PATIENT) });
    const payment = await signed();
    shop.read = async () => {
      await other.closePort();
      return '{}';
    };
    expect(await payments.payForRead(shop.call(payment))).toMatchObject({ code: 'payment_reconciliation_required' });
    expect(await rowOf(shop, payment)).toMatchObject({ state: 'RECONCILE', cause: 'unreachable' });
    expect(other.chain.broadcasts).toBe(0);
    expect(await payments.payForRead(shop.call(await signed()))).toMatchObject({
      code: 'payment_verification_unavailable',
    });
  });
});

test('fields that a caller adds to a payment do not reach the facilitator', async () => {
  const payment: SentPayment = {
    ...(await signed()),
    extensions: { 'eip2612-gas-sponsoring': { info: 'mine' } },
    secretNote: 'hello',
  };
  const before = shop.facilitator.asked.verify.length;
  shop.read = async () => '{}';
  expect(await shop.ask(payment)).toMatchObject({ kind: 'paid' });
  const [sent] = shop.facilitator.asked.verify.slice(before);
  expect(Object.keys(JSON.parse(sent!) as object).toSorted()).toEqual([
    'paymentPayload',
    'paymentRequirements',
    'x402Version',
  ]);
  expect(sent).not.toMatch(/extensions|secretNote|gas-sponsoring/);
});

test('no log line, event, error or shown column contains the payload or the signature', async () => {
  for (const [operation, fault] of [
    ['verify', 'echo_500'],
    ['settle', 'echo_500'],
    ['settle', null],
    ['verify', 'wrong_shape'],
  ] as const) {
    const payment = await signed();
    shop.facilitator.faults[operation] = fault;
    shop.read = async () => '{"x":1}';
    const answer = await shop.ask(payment);
    shop.facilitator.faults[operation] = null;
    const signature = payment.payload.signature.slice(2).toLowerCase();
    const outputs = [
      JSON.stringify(answer),
      ...shop.civic.logger.warnings,
      ...shop.civic.logger.errors,
      ...shop.civic.logger.told,
      JSON.stringify(await shop.ledger.list({ state: null, limit: 1000 })),
      JSON.stringify(await shop.civic.rows('select data::text, metadata::text from civic.events')),
    ].join('\n');
    expect(outputs.toLowerCase()).not.toContain(signature.slice(0, 40));
    expect(outputs).not.toContain('"signature"');
  }
  // The ledger removes it when a payment has ended.
  expect(
    await shop.civic.rows(
      "select count(*) from civic.payments where payload is not null and state in ('SETTLED', 'SETTLE_FAILED', 'LAPSED', 'READ_FAILED', 'READ_EMPTY')",
    ),
  ).toEqual([['0']]);
});
