import { newPaymentLease, publishPaymentFacts } from '../../../../commands/payments/payment-facts.ts';
import { receiptOf } from '../../../../domain/payments/payment.ts';
import type { PaymentMove, PaymentRow } from '../../../../domain/ports/payment-ledger.ts';
import { CHAIN_MARGIN_MS, type ReconcileParts, tidy } from './reconcile-payments.ts';

const CLAIM_TRIES = 20;
const CLAIM_EVERY_MS = 250;

/** Why the decision of an operator is refused. */
export class NotResolved extends Error {
  override readonly name = 'NotResolved';
}

/** Ends a payment of unknown outcome by what an operator has seen on the chain. Throws `NotResolved` with the reason. */
export async function resolveByHand(
  parts: ReconcileParts,
  paymentId: string,
  seen: { readonly settled: string } | { readonly failed: string },
): Promise<PaymentRow> {
  const { ledger, chainClock, clock } = parts;
  const left = await ledger.get(paymentId);
  if (left?.state === 'SETTLING' && !isLeased(left, chainClock.now())) await tidy(parts, left);
  const row = await claimed(parts, paymentId);
  if (row === null) throw new NotResolved(await whyNot(parts, paymentId));
  const now = chainClock.now();
  if ('failed' in seen && now <= row.validBefore + CHAIN_MARGIN_MS) {
    await ledger.lookAgain(row, { cause: row.cause ?? 'unknown', transaction: null, lookAt: now });
    const until = new Date(row.validBefore + CHAIN_MARGIN_MS).toISOString();
    throw new NotResolved(`the chain may still take this payment: it cannot be said to have failed before ${until}`);
  }
  const move: PaymentMove =
    'failed' in seen
      ? { to: 'SETTLE_FAILED', cause: seen.failed }
      : { to: 'SETTLED', transaction: seen.settled, receipt: JSON.stringify(receiptOf(row, seen.settled)), settledAt: clock.now() };
  const resolved = await ledger.move(row, move, now);
  if (resolved === null) throw new NotResolved(await whyNot(parts, paymentId));
  await publishPaymentFacts(parts, resolved);
  return resolved;
}

/** A job that examines the payment at this moment finishes within seconds. */
async function claimed(parts: ReconcileParts, paymentId: string): Promise<PaymentRow | null> {
  const { ledger, chainClock } = parts;
  for (let tries = 1; ; tries += 1) {
    const row = await ledger.claimOne(paymentId, newPaymentLease(parts));
    if (row !== null || tries === CLAIM_TRIES || !isLeased(await ledger.get(paymentId), chainClock.now())) return row;
    await chainClock.sleep(CLAIM_EVERY_MS);
  }
}

const isLeased = (row: PaymentRow | null, now: number): boolean => (row?.leaseUntil ?? 0) > now;

async function whyNot({ ledger, chainClock }: ReconcileParts, paymentId: string): Promise<string> {
  const row = await ledger.get(paymentId);
  if (row === null) return `there is no payment ${paymentId}`;
  if (isLeased(row, chainClock.now())) return 'another process works on this payment; try again in some seconds';
  return `this payment is ${row.state}; only one of unknown outcome (RECONCILE) can be resolved by hand`;
}
