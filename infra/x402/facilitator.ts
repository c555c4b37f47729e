import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import { requirementsOf, type SignedPayment } from '../../domain/payments/payment.ts';
import type { Facilitator } from '../../domain/ports/payments.ts';
import { AnswerTooLong, boundedFetch } from '../system/bounded-fetch.ts';
import { settlement, verification } from './outcomes.ts';

/** Bytes. A receipt of a transaction with a thousand logs and the hashes of a full block fit; a facilitator's verdict has a few hundred. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

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

type Client = Pick<FacilitatorClient, 'verify' | 'settle'>;

/**
 * The facilitator at an address, over HTTP; times in milliseconds. Asks it nothing before the first payment. The library's own client follows
 * redirects and reads an answer of any length, and takes no `fetch` of its caller. A verdict counts with status 200 and 4xx; a payment that
 * is verified with 4xx is not valid.
 */
export function httpFacilitator(
  url: string,
  { verifyMs, settleMs }: { readonly verifyMs: number; readonly settleMs: number },
): Facilitator {
  const root = url.replace(/\/+$/, '');
  const post = async (operation: string, timeoutMs: number, paymentPayload: PaymentPayload, paymentRequirements: PaymentRequirements) => {
    const response = await boundedFetch({ maxBytes: MAX_ANSWER_BYTES, timeoutMs })(`${root}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ x402Version: paymentPayload.x402Version, paymentPayload, paymentRequirements }),
    });
    const { ok, status } = response;
    if (!ok && !(status >= 400 && status < 500)) throw new Error(`the facilitator answered with status ${status}`);
    return { ok, body: JSON.parse(await response.text()) as unknown };
  };
  const client: Client = {
    async verify(...given) {
      const { ok, body } = await post('verify', verifyMs, ...given);
      const verdict = verifyVerdict.parse(body);
      return { ...verdict, isValid: ok && verdict.isValid };
    },
    settle: async (...given) => settleVerdict.parse((await post('settle', settleMs, ...given)).body),
  };
  return facilitatorOf(client);
}

/** A facilitator by a client of the library's form. A settlement that throws, for whatever reason, is of unknown outcome. */
export const facilitatorOf = (client: Client): Facilitator => ({
  async verify(payment) {
    try {
      return verification(await client.verify(...wire(payment)), payment);
    } catch (error) {
      return { kind: 'unavailable', reason: failure(error) };
    }
  },
  async settle(payment) {
    try {
      return settlement(await client.settle(...wire(payment)), payment);
    } catch (error) {
      return { kind: 'unknown', reason: failure(error), transaction: null };
    }
  },
});

/** Only what the challenge asked for and the payer signed: nothing else that a caller sent reaches the facilitator. */
function wire({ accepted, authorization, signature, resourceUrl }: SignedPayment): readonly [PaymentPayload, PaymentRequirements] {
  const requirements = requirementsOf(accepted);
  const payload = { signature, authorization };
  return [{ x402Version: 2, resource: { url: resourceUrl }, accepted: requirements, payload }, requirements];
}

/** What went wrong in one word: the error's text may quote the payment. */
function failure(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof AnswerTooLong) return 'bad_answer';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return error instanceof TypeError ? 'unreachable' : 'failed';
}
