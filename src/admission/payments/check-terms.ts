import type { PaymentTerms } from '../../domain/payments/payment.ts';
import { PaymentRefused } from './payment-answer.ts';
import type { PresentedPayment } from './payment-payload.ts';

export interface TermsCheck {
  /** Milliseconds by the clock that the chain lives by. */
  readonly now: number;
  readonly current: PaymentTerms;
  /** How much longer the payment must be valid for, in milliseconds. */
  readonly leastMs: number;
  readonly mostMs: number;
}

/** Checks 8 to 11 of a payment that nobody has used yet; throws the refusal of the first that fails. Nothing is stored before they hold. */
export const checkTerms = ({ signed, boundTo }: PresentedPayment, { now, current, leastMs, mostMs }: TermsCheck): void => {
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
};
