import { tellPaymentFacts } from '../../../commands/payments/payment-facts.ts';
import type { PaymentRow } from '../../domain/ports/payment-ledger.ts';
import { receiptOf } from '../../domain/payments/receipt.ts';
import { CHAIN_MARGIN_MS, leaseFor, type ReconcileParts } from './reconcile-parts.ts';
import { tidy } from './reconcile-payments.ts';

/** What an operator has seen on the chain. */
export type SeenByHand = { readonly settled: string } | { readonly failed: string };

/** Why an operator's word is not taken. */
export class NotResolved extends Error {
  override readonly name = 'NotResolved';
}

/** Ends a payment of unknown outcome by an operator's word; throws `NotResolved` with what stands in the way. */
export const resolveByHand = async (parts: ReconcileParts, paymentId: string, seen: SeenByHand): Promise<PaymentRow> => {
  const { ledger, chainClock, clock } = parts;
  await tidyIfLeft(parts, paymentId);
  const row = await ledger.claimOne(paymentId, leaseFor(parts));
  if (row === null) throw new NotResolved(await whyNot(parts, paymentId));
  const now = chainClock.now();
  if ('failed' in seen && now <= row.validBefore + CHAIN_MARGIN_MS) {
    await ledger.lookAgain(row, { cause: row.cause ?? 'unknown', transaction: null, lookAt: now });
    const until = new Date(row.validBefore + CHAIN_MARGIN_MS).toISOString();
    throw new NotResolved(`the chain may still take this payment: it cannot be said to have failed before ${until}`);
  }
  const resolved =
    'failed' in seen
      ? await ledger.move(row, { to: 'SETTLE_FAILED', cause: seen.failed }, now)
      : await ledger.move(
          row,
          { to: 'SETTLED', transaction: seen.settled, receipt: JSON.stringify(receiptOf(row, seen.settled)), settledAt: clock.now() },
          now,
        );
  if (resolved === null) throw new NotResolved(await whyNot(parts, paymentId));
  await tellPaymentFacts(parts, resolved);
  return resolved;
};

const tidyIfLeft = async (parts: ReconcileParts, paymentId: string): Promise<void> => {
  const row = await parts.ledger.get(paymentId);
  if (row?.state === 'SETTLING' && row.leaseUntil !== null && row.leaseUntil <= parts.chainClock.now()) await tidy(parts, row);
};

const whyNot = async ({ ledger, chainClock }: ReconcileParts, paymentId: string): Promise<string> => {
  const row = await ledger.get(paymentId);
  if (row === null) return `there is no payment ${paymentId}`;
  const leased = row.leaseUntil !== null && row.leaseUntil > chainClock.now();
  if (leased) return 'somebody is working on this payment; try again in some seconds';
  return `this payment is ${row.state}; only one of unknown outcome (RECONCILE) can be resolved by hand`;
};
