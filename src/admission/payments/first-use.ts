import { type Claim } from './replay.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import type { PaymentLease, Reservation, Reserved } from '../../domain/ports/payment-ledger.ts';
import { paymentId } from '../../domain/payments/payment.ts';
import { writeSignedPayment } from '../../domain/payments/signed-payment.ts';
import { accountStream } from '../../domain/streams.ts';
import { checkTerms } from './check-terms.ts';
import { PaymentRefused } from './payment-answer.ts';
import type { PaidCall, PaymentParts } from './payment-parts.ts';
import type { PresentedPayment } from './payment-payload.ts';
import { currentPrice } from './price.ts';
import { fromLedger } from './from-ledger.ts';

/** Checks a payment that nobody has used, and takes it; or finds that somebody was faster. Throws the refusal of the first check that fails. */
export const firstUse = async (
  parts: PaymentParts,
  call: PaidCall,
  presented: PresentedPayment,
  claim: Claim,
): Promise<Extract<Reserved, { row: unknown }>> => {
  const price = await currentPrice(parts, call.tool);
  const now = parts.chainClock.now();
  checkTerms(presented, { now, current: price.terms, leastMs: parts.times.settleMarginMs, mostMs: parts.times.longestValidMs });
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
  const reserved = await fromLedger(parts, () => parts.ledger.reserve(reservation, newLease(parts), parts.budget));
  if (reserved.kind === 'budget_exceeded') throw new PaymentRefused('payment_budget_exceeded');
  if (reserved.kind === 'wallet_refused') throw new PaymentRefused('payment_access_denied');
  return reserved;
};

export const newLease = ({ identifiers, chainClock, times }: PaymentParts): PaymentLease => {
  const now = chainClock.now();
  return { owner: identifiers.next(), now, until: now + times.leaseMs };
};

/** Where facts about a new row can begin; a log that cannot be asked only makes telling them dearer. */
const streamRevision = async ({ log }: PaymentParts, accountId: string): Promise<number> => {
  const stream = accountStream(accountId);
  const last = await log.readLast([stream]).catch(() => null);
  return last?.get(stream)?.revision ?? NO_STREAM;
};
