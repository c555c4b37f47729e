import { type Claim } from './replay.ts';
import { NO_STREAM } from '../../../../domain/ports/event-log.ts';
import type { PaymentLease, Reservation, Reserved } from '../../../../domain/ports/payment-ledger.ts';
import { paymentId, type PaymentTerms, writeSignedPayment } from '../../../../domain/payments/payment.ts';
import { accountStream } from '../../../../domain/streams.ts';
import { PaymentRefused } from './payment-answer.ts';
import type { PaidCall, PaymentParts } from './payment-parts.ts';
import type { PresentedPayment } from './payment-payload.ts';
import { currentPrice } from './price.ts';

const LATER_SECONDS = 5;

/** Fails closed: where the ledger cannot be asked, nothing is verified, read or settled. */
export async function fromLedger<Result>({ logger }: Pick<PaymentParts, 'logger'>, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    logger.warn({ error: (error as Error).message }, 'the payment ledger could not be reached');
    throw new PaymentRefused('payment_ledger_unavailable', { retryAfterSeconds: LATER_SECONDS });
  }
}

/** Checks an unused payment and reserves it, or finds that another call was faster. Throws the refusal of the first check that fails. */
export async function firstUse(
  parts: PaymentParts,
  call: PaidCall,
  presented: PresentedPayment,
  claim: Claim,
): Promise<Extract<Reserved, { row: unknown }>> {
  const price = await currentPrice(parts, call.tool);
  const now = parts.chainClock.now();
  checkTerms(presented, { now, current: price.terms, leastMs: parts.times.settleMarginMs, mostMs: parts.times.maxValidMs });
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
}

export function newLease({ identifiers, chainClock, times }: PaymentParts): PaymentLease {
  const now = chainClock.now();
  return { owner: identifiers.next(), now, until: now + times.leaseMs };
}

/** Where facts about a new row can begin; a log that cannot be asked only makes their publication cost more. */
async function streamRevision({ log }: PaymentParts, accountId: string): Promise<number> {
  const stream = accountStream(accountId);
  const last = await log.readLast([stream]).catch(() => null);
  return last?.get(stream)?.revision ?? NO_STREAM;
}

interface TermsCheck {
  /** Milliseconds by the clock that the chain lives by. */
  readonly now: number;
  readonly current: PaymentTerms;
  /** How much longer the payment must be valid for, in milliseconds. */
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Checks 8 to 11 of an unused payment; throws the refusal of the first that fails. Nothing is stored before they hold. */
function checkTerms({ signed, boundTo }: PresentedPayment, { now, current, leastMs, mostMs }: TermsCheck): void {
  const { accepted, authorization, resourceUrl } = signed;
  const validBefore = BigInt(authorization.validBefore) * 1000n;
  if (validBefore < BigInt(now + leastMs)) throw new PaymentRefused('payment_expired');
  if (validBefore > BigInt(now + mostMs)) {
    throw new PaymentRefused('payment_expired', { details: { longestSeconds: mostMs / 1000 } }, 'the payment would be valid for too long');
  }
  const same =
    accepted.scheme === current.scheme &&
    accepted.network === current.network &&
    accepted.asset === current.asset &&
    accepted.payTo === current.payTo &&
    accepted.extra.name === current.extra.name &&
    accepted.extra.version === current.extra.version &&
    authorization.to === current.payTo;
  if (!same) throw new PaymentRefused('payment_mismatch');
  if (boundTo !== null && boundTo !== resourceUrl) throw new PaymentRefused('payment_request_invalid');
  if (accepted.amount !== current.amount || authorization.value !== current.amount) throw new PaymentRefused('payment_price_mismatch');
  // The chain refuses what is not valid yet, and so would the facilitator.
  if (BigInt(authorization.validAfter) * 1000n > BigInt(now)) throw new PaymentRefused('payment_authorization_invalid');
}
