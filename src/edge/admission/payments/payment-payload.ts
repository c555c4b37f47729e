import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../../../../domain/canonical-json.ts';
import { paymentKey, type PaymentKey, type SignedPayment, toolUrl } from '../../../../domain/payments/payment.ts';
import { PaymentRefused } from './payment-answer.ts';

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`))
    .toLowerCase();
const address = hex(20);
/** Of at most 256 bits, about. */
const decimal = z.string().regex(/^(0|[1-9][0-9]{0,77})$/);
const word = z.string().regex(/^[\x20-\x7e]{1,100}$/);

/** x402's PaymentPayload, version 2, of the scheme `exact` by EIP-3009. Other fields are ignored and not stored. */
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
    /** 65 bytes. Signatures of contracts are longer and cannot be checked without the chain. */
    signature: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2}){64,2048}$/)
      .toLowerCase(),
    authorization: z.object({ from: address, to: address, value: decimal, validAfter: decimal, validBefore: decimal, nonce: hex(32) }),
  }),
});

export interface PresentedPayment {
  readonly key: PaymentKey;
  readonly signed: SignedPayment;
  /** The resource to which the payer bound the payment, if any. */
  readonly boundTo: string | null;
}

/** Parses the attached payment. Throws `payment_invalid`, which names the field and never a value. */
export function readPayment(payment: unknown, tool: string): PresentedPayment {
  const parsed = paymentPayload.safeParse(payment);
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, 5).map(({ path, code }) => ({ path: path.map(String), code }));
    throw new PaymentRefused('payment_invalid', { details: { issues } });
  }
  const { resource, accepted, payload } = parsed.data;
  const { maxTimeoutSeconds: _, ...terms } = accepted;
  const signed = { accepted: terms, ...payload, resourceUrl: toolUrl(tool) };
  return { key: paymentKey(signed), signed, boundTo: resource?.url ?? null };
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Identifies a request: the tool and its parsed arguments with defaults. */
export const requestHash = (tool: string, parsedArguments: unknown): string => sha256(canonicalJson({ tool, arguments: parsedArguments }));

/** Identifies the signed terms, without the signature, which has several encodings. */
export const termsHash = ({ accepted, authorization, resourceUrl }: SignedPayment): string =>
  sha256(canonicalJson({ accepted, authorization, resourceUrl }));
