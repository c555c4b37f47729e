import { expect } from 'vitest';
import { httpFacilitator } from '../../infra/x402/facilitator.ts';
import type { PaymentAnswer } from '../../src/edge/admission/payments/paid-call.ts';
import type { Payments } from '../../src/edge/admission/payments/pay-for-read.ts';
import { ASSET, NETWORK } from '../../domain/payments/payment.ts';
import type { ChainLookup, Facilitator, PaymentRow } from '../../domain/ports/payments.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import {
  type Reconciled,
  type ReconcileParts,
  reconcilePayments,
} from '../../src/processors/reactors/payments/reconcile-payments.ts';
import { PATIENT, type SentPayment, type TestPayments } from './payments.ts';

export const facilitatorOfShop = (shop: TestPayments): Facilitator => httpFacilitator(shop.facilitator.url, PATIENT);

export const workerParts = (shop: TestPayments, changes: Partial<ReconcileParts> = {}): ReconcileParts => ({
  ledger: shop.ledger,
  facilitator: facilitatorOfShop(shop),
  chain: null,
  log: shop.civic.log,
  clock: shop.clock,
  chainClock: shop.clock,
  identifiers: randomIdentifiers,
  logger: shop.civic.logger,
  ...changes,
});

/** One round of the worker. */
export const work = (shop: TestPayments, changes: Partial<ReconcileParts> = {}): Promise<Reconciled> =>
  reconcilePayments(workerParts(shop, changes), new AbortController().signal);

export const keyOf = ({ payload }: SentPayment) => ({
  network: NETWORK,
  asset: ASSET,
  payer: payload.authorization.from!.toLowerCase(),
  nonce: payload.authorization.nonce!,
});

export const rowOf = (shop: TestPayments, payment: SentPayment): Promise<PaymentRow | null> =>
  shop.ledger.find(keyOf(payment));

/** The number of actual transfers of a payment. */
export const paidOnChain = (shop: TestPayments, payment: SentPayment): number =>
  shop.facilitator.chain.paid(payment.payload.authorization.from!, payment.payload.authorization.nonce!).length;

const LEASE_OVER_MS = 16_000;

/** The steps after a crash: leases expire, the worker runs, and the payer sends the same payment again. */
export async function afterwards(
  shop: TestPayments,
  payments: Payments,
  payment: SentPayment,
  { chain = null }: { readonly chain?: ChainLookup | null } = {},
): Promise<PaymentAnswer> {
  let answer: PaymentAnswer = { kind: 'serve' };
  for (let round = 0; round < 3; round += 1) {
    shop.clock.advance(LEASE_OVER_MS);
    await work(shop, { chain });
    answer = await payments.payForRead(shop.call(payment));
    if (answer.kind === 'paid') break;
  }
  shop.clock.advance(LEASE_OVER_MS);
  await work(shop, { chain });
  return answer;
}

/**
 * Money and data agree: the ledger says settled exactly if there was one transfer, and then the payment fetches the data and the
 * account has one event of it. Only a payment of unknown outcome may be either.
 */
export async function expectAgreement(
  shop: TestPayments,
  payments: Payments,
  payment: SentPayment,
): Promise<PaymentRow | null> {
  const paid = paidOnChain(shop, payment);
  const row = await rowOf(shop, payment);
  expect(paid).toBeLessThanOrEqual(1);
  if (row?.state !== 'RECONCILE') expect(row?.state === 'SETTLED').toBe(paid === 1);
  if (row?.state === 'SETTLED') {
    expect(await payments.payForRead(shop.call(payment))).toMatchObject({
      kind: 'paid',
      receipt: { transaction: row.transaction },
    });
    expect(row).toMatchObject({ verifiedPublished: true, outcomePublished: true, payload: null });
  }
  const settledFacts = (await shop.facts()).filter(
    ({ type, data }) => type === 'AccountPaymentSettled' && data.paymentId === row?.paymentId,
  );
  expect(settledFacts).toHaveLength(row?.state === 'SETTLED' ? 1 : 0);
  return row;
}
