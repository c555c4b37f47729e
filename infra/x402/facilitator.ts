import { FacilitatorResponseError, FacilitatorTimeoutError, type FacilitatorClient, HTTPFacilitatorClient } from '@x402/core/server';
import { type PaymentPayload, type PaymentRequirements, VerifyError } from '@x402/core/types';
import type { Facilitator } from '../../src/domain/ports/facilitator.ts';
import { SCHEME, type SignedPayment } from '../../src/domain/payments/payment.ts';
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
  if (error instanceof FacilitatorTimeoutError) return 'timeout';
  if (error instanceof FacilitatorResponseError) return 'bad_answer';
  return error instanceof TypeError ? 'unreachable' : 'failed';
};

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** A facilitator by its library's own client. A settlement that throws, for whatever reason, is of unknown outcome. */
export const facilitatorOf = (verifying: FacilitatorClient, settling: FacilitatorClient): Facilitator => ({
  async verify(payment) {
    try {
      return verification(await verifying.verify(...wire(payment)), payment);
    } catch (error) {
      if (error instanceof VerifyError && error.statusCode >= CLIENT_ERROR && error.statusCode < SERVER_ERROR) {
        const { invalidReason, payer } = error;
        const answered = {
          isValid: false,
          ...(invalidReason === undefined ? {} : { invalidReason }),
          ...(payer === undefined ? {} : { payer }),
        };
        return verification(answered, payment);
      }
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
  facilitatorOf(new HTTPFacilitatorClient({ url, timeoutMs: verifyMs }), new HTTPFacilitatorClient({ url, timeoutMs: settleMs }));
