import { isDeepStrictEqual } from 'node:util';
import { newPaymentLease } from '../../../../commands/payments/payment-facts.ts';
import { NO_STREAM } from '../../../../domain/ports/event-log.ts';
import type { Reservation, Reserved } from '../../../../domain/ports/payment-ledger.ts';
import { paymentId, type PaymentTerms, writeSignedPayment } from '../../../../domain/payments/payment.ts';
import { accountStream } from '../../../../domain/streams.ts';
import { PaymentRefused } from './payment-answer.ts';
import { fromLedger, type PaidCall, type PaymentParts } from './payment-parts.ts';
import type { PresentedPayment } from './payment-payload.ts';
import { requiredPrice } from './price.ts';
import type { Claim } from './replay.ts';

/** The longest time that a new payment may be valid for, in milliseconds. */
const MAX_VALID_MS = 3_600_000;

/**
 * Checks an unused payment and reserves it, or returns the row that another call has reserved meanwhile. Throws the refusal of the first check
 * that fails.
 */
export async function firstUse(
  parts: PaymentParts,
  call: PaidCall,
  presented: PresentedPayment,
  claim: Claim,
): Promise<Extract<Reserved, { row: unknown }>> {
  const price = requiredPrice(parts.price());
  const now = parts.chainClock.now();
  checkTerms(presented, price.terms, now, parts.times.settleMarginMs);
  const { accepted, authorization, signature } = presented.signed;
  if (!(await parts.checkSignature(authorization, accepted, signature))) throw new PaymentRefused('payment_authorization_invalid');
  const reservation: Reservation = {
    ...presented.key,
    ...claim,
    paymentId: paymentId(presented.key),
    keyId: call.principal.keyId,
    priceVersion: price.version,
    amount: price.terms.amount,
    payTo: price.terms.payTo,
    validBefore: Number(authorization.validBefore) * 1000,
    payload: writeSignedPayment(presented.signed),
    createdAt: parts.clock.now(),
    factsAfter: await streamRevision(parts, claim.accountId),
  };
  const reserved = await fromLedger(parts, () => parts.ledger.reserve(reservation, newPaymentLease(parts), parts.budget));
  if (reserved.kind === 'budget_exceeded') throw new PaymentRefused('payment_budget_exceeded');
  if (reserved.kind === 'wallet_refused') throw new PaymentRefused('payment_access_denied');
  return reserved;
}

/** Where facts about a new row can begin; a log that cannot be asked only makes their publication cost more. */
async function streamRevision({ log }: PaymentParts, accountId: string): Promise<number> {
  const stream = accountStream(accountId);
  const last = await log.readLast([stream]).catch(() => null);
  return last?.get(stream)?.revision ?? NO_STREAM;
}

/**
 * Checks 8 to 11 of an unused payment; throws the refusal of the first that fails. Nothing is stored before they hold. `now` is the time of the
 * chain's clock; the payment must be valid for `leastMs` from then on.
 */
function checkTerms({ signed, boundTo }: PresentedPayment, current: PaymentTerms, now: number, leastMs: number): void {
  const { accepted, authorization, resourceUrl } = signed;
  const validBefore = BigInt(authorization.validBefore) * 1000n;
  if (validBefore < BigInt(now + leastMs)) throw new PaymentRefused('payment_expired');
  if (validBefore > BigInt(now + MAX_VALID_MS)) {
    const details = { longestSeconds: MAX_VALID_MS / 1000 };
    throw new PaymentRefused('payment_expired', { details }, 'the payment would be valid for too long');
  }
  const sameTerms = isDeepStrictEqual({ ...accepted, amount: current.amount }, current);
  if (!sameTerms || authorization.to !== current.payTo) throw new PaymentRefused('payment_mismatch');
  if (boundTo !== null && boundTo !== resourceUrl) throw new PaymentRefused('payment_request_invalid');
  if (accepted.amount !== current.amount || authorization.value !== current.amount) throw new PaymentRefused('payment_price_mismatch');
  // Chain and facilitator refuse an authorization that is not valid yet.
  if (BigInt(authorization.validAfter) * 1000n > BigInt(now)) throw new PaymentRefused('payment_authorization_invalid');
}
