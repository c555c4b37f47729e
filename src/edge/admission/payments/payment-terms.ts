import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { PaymentChallenge } from '../../../../contract/tools/tool-results.ts';
import type { ToolName } from '../../../../contract/tools/tool-names.ts';
import { TOOLS } from '../../../../contract/tools/tools.ts';
import { canonicalJson } from '../../../../domain/digests.ts';
import { HOUR_MS } from '../../../../domain/durations.ts';
import {
  ASSET,
  ASSET_DOMAIN,
  NETWORK,
  paymentKey,
  requirementsOf,
  SCHEME,
  type SignedPayment,
  toolUrl,
} from '../../../../domain/payments/payment.ts';
import { PaymentRefused, type Price } from './paid-call.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const VERSION_LENGTH = 12;

/**
 * Returns the price: an amount in smallest units, paid to an address. Null without an amount, which means nothing is
 * for sale.
 */
export function createPrice(amount: string | null, payTo: string): Price | null {
  if (amount === null) return null;
  const terms = {
    scheme: SCHEME,
    network: NETWORK,
    asset: ASSET,
    amount,
    payTo: payTo.toLowerCase(),
    extra: ASSET_DOMAIN,
  };
  return { terms, version: sha256(JSON.stringify(terms)).slice(0, VERSION_LENGTH) };
}

export const challengeFor = (tool: ToolName, { terms }: Price): PaymentChallenge => ({
  x402Version: 2,
  error: 'payment_required',
  resource: { url: toolUrl(tool), description: `${TOOLS[tool].title}: one call`, mimeType: 'application/json' },
  accepts: [requirementsOf(terms)],
});

const matching = (pattern: RegExp) => z.string().regex(pattern);
const hex = (bytes: number) => matching(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`)).toLowerCase();
const address = hex(20);
/** A decimal integer of about 256 bits at most. */
const decimal = matching(/^(0|[1-9][0-9]{0,77})$/);
const word = matching(/^[\x20-\x7e]{1,100}$/);

/** The PaymentPayload of x402, version 2, scheme `exact` by EIP-3009. Other fields are ignored and not stored. */
const paymentPayload = z.object({
  x402Version: z.literal(2),
  resource: z.object({ url: z.string().max(500) }).optional(),
  accepted: z.object({
    scheme: word,
    network: word,
    asset: address,
    amount: decimal,
    payTo: address,
    maxTimeoutSeconds: z.number(),
    extra: z.object({ name: word, version: word }),
  }),
  payload: z.object({
    /** 65 bytes for an ordinary wallet. Contract signatures are longer and can only be checked on the chain. */
    signature: matching(/^0x([0-9a-fA-F]{2}){64,2048}$/).toLowerCase(),
    authorization: z.object({
      from: address,
      to: address,
      value: decimal,
      validAfter: decimal,
      validBefore: decimal,
      nonce: hex(32),
    }),
  }),
});

export type PresentedPayment = ReturnType<typeof readPayment>;
/** Parses the attached payment. Throws `payment_invalid`, which names the fields but never their values. */
export function readPayment(payment: unknown, tool: string) {
  const parsed = paymentPayload.safeParse(payment);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 5).map(({ path, code }) => ({ path: path.map(String), code }));
    throw new PaymentRefused('payment_invalid', { details: { issues } });
  }
  const { resource, accepted, payload } = parsed.data;
  const { maxTimeoutSeconds: _, ...terms } = accepted;
  const signed: SignedPayment = { accepted: terms, ...payload, resourceUrl: toolUrl(tool) };
  /** `boundTo` is the resource to which the payer bound the payment, if any. */
  return { key: paymentKey(signed), signed, boundTo: resource?.url ?? null };
}

/** Identifies a request: the tool and its parsed arguments with defaults. */
export const requestHash = (tool: string, parsedArguments: unknown): string =>
  sha256(canonicalJson({ tool, arguments: parsedArguments }));

/** Identifies the signed terms. Excludes the signature, which has several encodings. */
export const termsHash = ({ accepted, authorization, resourceUrl }: SignedPayment): string =>
  sha256(canonicalJson({ accepted, authorization, resourceUrl }));

const MAX_VALID_MS = HOUR_MS;

/**
 * Checks the terms, signature and times of a payment before anything is stored. `now` is chain time; the payment must stay valid for `leastMs`.
 */
export function checkTerms(
  { signed, boundTo }: PresentedPayment,
  current: Price['terms'],
  now: number,
  leastMs: number,
): void {
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
  if (accepted.amount !== current.amount || authorization.value !== current.amount)
    throw new PaymentRefused('payment_price_mismatch');
  // The chain and the facilitator refuse an authorization that is not valid yet.
  if (BigInt(authorization.validAfter) * 1000n > BigInt(now)) throw new PaymentRefused('payment_authorization_invalid');
}
