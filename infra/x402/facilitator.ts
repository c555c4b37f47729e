import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import type { Facilitator } from '../../domain/ports/facilitator.ts';
import { SCHEME, type SignedPayment } from '../../domain/payments/payment.ts';
import { AnswerTooLong, boundedFetch } from '../system/bounded-fetch.ts';
import { MAX_ANSWER_BYTES } from './bounds.ts';
import { settlement, verification } from './outcomes.ts';

/** Milliseconds. */
export interface FacilitatorTimes {
  readonly verifyMs: number;
  readonly settleMs: number;
}

/** The facilitator answered something that is no verdict. */
class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const verifyVerdict = z.object({ isValid: z.boolean(), invalidReason: text, payer: text });
const settleVerdict = z.object({
  success: z.boolean(),
  errorReason: text,
  errorMessage: text,
  payer: text,
  transaction: z.string(),
  network: z.custom<PaymentRequirements['network']>((value) => typeof value === 'string'),
  amount: text,
});

function verdictOf<Verdict>(schema: z.ZodType<Verdict>, body: string): Verdict {
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    throw new BadAnswer('the answer is no verdict');
  }
}

const isClientError = (status: number): boolean => status >= 400 && status < 500;

/**
 * A facilitator over HTTP. The library's own client follows redirects and reads an answer of any length, and takes no `fetch` of its caller.
 * A verdict counts with status 200 and 4xx; a payment that is verified with 4xx is not valid. Throws for every other answer.
 */
function facilitatorClient(url: string, timeoutMs: number): Pick<FacilitatorClient, 'verify' | 'settle'> {
  const root = url.replace(/\/+$/, '');
  const ask = boundedFetch({ maxBytes: MAX_ANSWER_BYTES, timeoutMs });
  const post = async <Verdict>(operation: string, given: readonly [PaymentPayload, PaymentRequirements], schema: z.ZodType<Verdict>) => {
    const [paymentPayload, paymentRequirements] = given;
    const response = await ask(`${root}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ x402Version: paymentPayload.x402Version, paymentPayload, paymentRequirements }),
    });
    if (!response.ok && !isClientError(response.status)) throw new Error(`the facilitator answered with status ${response.status}`);
    return { ok: response.ok, verdict: verdictOf(schema, await response.text()) };
  };
  return {
    async verify(...given) {
      const { ok, verdict } = await post('verify', given, verifyVerdict);
      return { ...verdict, isValid: ok && verdict.isValid };
    },
    settle: async (...given) => (await post('settle', given, settleVerdict)).verdict,
  };
}

/** Only what the challenge asked for and the payer signed: nothing else that a caller sent reaches the facilitator. */
function wire(payment: SignedPayment): readonly [PaymentPayload, PaymentRequirements] {
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
}
const MAX_TIMEOUT_SECONDS = 120;

/** What went wrong in one word: the error's text may quote the payment. */
function failure(error: unknown): string {
  if (error instanceof BadAnswer || error instanceof AnswerTooLong) return 'bad_answer';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return error instanceof TypeError ? 'unreachable' : 'failed';
}

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
