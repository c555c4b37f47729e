import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Facilitator } from '../../domain/ports/facilitator.ts';
import { SCHEME, type SignedPayment } from '../../domain/payments/payment.ts';
import { AnswerTooLong } from '../system/bounded-fetch.ts';
import { BadAnswer, facilitatorClient } from './facilitator-client.ts';
import { settlement, verification } from './outcomes.ts';

/** Milliseconds. */
export interface FacilitatorTimes {
  readonly verifyMs: number;
  readonly settleMs: number;
}

/** Only what the challenge asked for and the payer signed: nothing else that a caller sent reaches the facilitator. */
const wire = (payment: SignedPayment): readonly [PaymentPayload, PaymentRequirements] => {
  const { accepted, authorization, signature, resourceUrl } = payment;
  const requirements: PaymentRequirements = {
    scheme: SCHEME,
    network: accepted.network as PaymentRequirements['network'],
    asset: accepted.asset,
    amount: accepted.amount,
    payTo: accepted.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    extra: { ...accepted.extra },
  };
  const payload = { x402Version: 2, resource: { url: resourceUrl }, accepted: requirements, payload: { signature, authorization } };
  return [payload, requirements];
};
const MAX_TIMEOUT_SECONDS = 120;

/** What went wrong in one word: the error's text may quote the payment. */
const failure = (error: unknown): string => {
  if (error instanceof BadAnswer || error instanceof AnswerTooLong) return 'bad_answer';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return error instanceof TypeError ? 'unreachable' : 'failed';
};

/** A facilitator by a client of the library's form. A settlement that throws, for whatever reason, is of unknown outcome. */
export const facilitatorOf = (verifying: Pick<FacilitatorClient, 'verify'>, settling: Pick<FacilitatorClient, 'settle'>): Facilitator => ({
  async verify(payment) {
    try {
      return verification(await verifying.verify(...wire(payment)), payment);
    } catch (error) {
      return { kind: 'unavailable', reason: failure(error) };
    }
  },
  async settle(payment) {
    try {
      return settlement(await settling.settle(...wire(payment)), payment);
    } catch (error) {
      return { kind: 'unknown', reason: failure(error), transaction: null };
    }
  },
});

/** The facilitator at an address, over HTTP. Asks it nothing before the first payment. */
export const httpFacilitator = (url: string, { verifyMs, settleMs }: FacilitatorTimes): Facilitator =>
  facilitatorOf(facilitatorClient(url, verifyMs), facilitatorClient(url, settleMs));
