import type { FacilitatorClient } from '@x402/core/server';
import type { PaymentPayload, PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types';
import { z } from 'zod';
import { requirementsOf, type SignedPayment, transactionHash } from '../../domain/payments/payment.ts';
import type { Facilitator, Settlement, Verification } from '../../domain/ports/payments.ts';
import { AnswerTooLong, boundedFetch } from '../system/bounded-fetch.ts';

/**
 * Fits the receipt of a transaction with a thousand logs, and the hashes of a full block. A verdict has a few hundred
 * bytes.
 */
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
 * Creates a client of a facilitator. It sends nothing before the first payment. The client of the x402 library is not
 * used, because it follows redirects, reads responses of any length and accepts no `fetch`. Verdicts are accepted with
 * status 200 and 4xx; a verification with 4xx means that the payment is invalid. Times are in milliseconds.
 */
export function httpFacilitator(
  url: string,
  { verifyMs, settleMs }: { readonly verifyMs: number; readonly settleMs: number },
): Facilitator {
  const root = url.replace(/(?<!\/)\/+$/, '');
  const post = async (
    operation: string,
    timeoutMs: number,
    paymentPayload: PaymentPayload,
    paymentRequirements: PaymentRequirements,
  ) => {
    const response = await boundedFetch({ maxBytes: MAX_ANSWER_BYTES, timeoutMs })(`${root}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ x402Version: paymentPayload.x402Version, paymentPayload, paymentRequirements }),
    });
    const { ok, status } = response;
    if (!ok && !(status >= 400 && status < 500)) throw new Error(`the facilitator answered with status ${status}`);
    return { ok, body: JSON.parse(await response.text()) as unknown };
  };
  return facilitatorOf({
    async verify(...payment) {
      const { ok, body } = await post('verify', verifyMs, ...payment);
      const verdict = verifyVerdict.parse(body);
      return { ...verdict, isValid: ok && verdict.isValid };
    },
    settle: async (...payment) => settleVerdict.parse((await post('settle', settleMs, ...payment)).body),
  });
}

/** Adapts a client to the port. If `settle` throws, the outcome is unknown. */
export const facilitatorOf = (client: Client): Facilitator => ({
  async verify(payment) {
    try {
      return verification(await client.verify(...toRequest(payment)), payment);
    } catch (error) {
      return { kind: 'unavailable', reason: failureWord(error) };
    }
  },
  async settle(payment) {
    try {
      return settlement(await client.settle(...toRequest(payment)), payment);
    } catch (error) {
      return { kind: 'unknown', reason: failureWord(error), transaction: null };
    }
  },
});

/**
 * Builds a request from the challenge's requirements and the signed payload, so that no other caller data is forwarded.
 */
function toRequest({
  accepted,
  authorization,
  signature,
  resourceUrl,
}: SignedPayment): readonly [PaymentPayload, PaymentRequirements] {
  const requirements = requirementsOf(accepted);
  const payload = { signature, authorization };
  return [{ x402Version: 2, resource: { url: resourceUrl }, accepted: requirements, payload }, requirements];
}

/** Returns one word for an error, because its message might quote the payment. */
function failureWord(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof AnswerTooLong)
    return 'bad_answer';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  return error instanceof TypeError ? 'unreachable' : 'failed';
}

/** Returns the reason if it is one of the x402 reason codes: other text of a facilitator is not trusted. */
export const reasonWord = (reason: string | undefined): string =>
  reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) && !/^0x|[0-9a-f]{32}/.test(reason)
    ? reason
    : 'unrecognised';

const EXPIRED: ReadonlySet<string> = new Set([
  'invalid_exact_evm_payload_authorization_valid_before',
  'payment_expired',
]);

const isPayer = (payer: string | undefined, payment: SignedPayment): boolean =>
  payer === undefined || payer.toLowerCase() === payment.authorization.from;

/** Maps the response to a verification. A response that names another payer does not verify this payment. */
export function verification({ isValid, invalidReason, payer }: VerifyResponse, payment: SignedPayment): Verification {
  if (!isPayer(payer, payment)) return { kind: 'unavailable', reason: 'another_payer' };
  if (isValid) return { kind: 'valid' };
  const reason = reasonWord(invalidReason);
  return { kind: 'refused', reason, expired: EXPIRED.has(reason) };
}

/**
 * Reasons for which no transaction was sent. A used nonce and a failed simulation are missing, because an earlier
 * successful settlement causes them too.
 */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'asset_not_deployed_contract',
  'insufficient_funds',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_payload_type',
  'unsupported_scheme',
]);

/** Reasons of a transaction that the chain reverted. The library adds a message to every other failure. */
const REVERTED: ReadonlySet<string> = new Set(['invalid_exact_evm_transaction_failed', 'invalid_transaction_state']);

/** Maps the response to a settlement. Success and failure must both be certain; anything else is `unknown`. */
export function settlement(response: SettleResponse, payment: SignedPayment): Settlement {
  const hash = transactionHash.safeParse(response.transaction);
  const transaction = hash.success ? hash.data : null;
  if (response.success) {
    const { network, amount, payer } = response;
    const same =
      network === payment.accepted.network &&
      isPayer(payer, payment) &&
      (amount ?? payment.accepted.amount) === payment.accepted.amount;
    if (transaction !== null && same) return { kind: 'settled', transaction };
    return { kind: 'unknown', reason: 'success_of_another_payment', transaction: null };
  }
  const reason = reasonWord(response.errorReason);
  const reverted = transaction !== null && REVERTED.has(reason) && response.errorMessage === undefined;
  const notSent = response.transaction === '' && BEFORE_SENDING.has(reason);
  return { kind: reverted || notSent ? 'refused' : 'unknown', reason, transaction };
}
