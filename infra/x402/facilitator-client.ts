import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import { boundedFetch } from '../system/bounded-fetch.ts';
import { MAX_ANSWER_BYTES } from './bounds.ts';

/** The facilitator answered something that is no verdict. */
export class BadAnswer extends Error {
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

const verdictOf = <Verdict>(schema: z.ZodType<Verdict>, body: string): Verdict => {
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    throw new BadAnswer('the answer is no verdict');
  }
};

const isClientError = (status: number): boolean => status >= 400 && status < 500;

/**
 * A facilitator over HTTP. The library's own client follows redirects and reads an answer of any length, and takes no `fetch` of its caller.
 * A verdict counts with status 200 and 4xx; a payment that is verified with 4xx is not valid. Throws for every other answer.
 */
export function facilitatorClient(url: string, timeoutMs: number): Pick<FacilitatorClient, 'verify' | 'settle'> {
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
