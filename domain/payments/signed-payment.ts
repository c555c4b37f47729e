import { z } from 'zod';
import { canonicalJson } from '../canonical-json.ts';
import type { SignedPayment } from './payment.ts';

const text = z.string();
const signedPayment = z.strictObject({
  accepted: z.strictObject({
    scheme: text,
    network: text,
    asset: text,
    amount: text,
    payTo: text,
    extra: z.strictObject({ name: text, version: text }),
  }),
  authorization: z.strictObject({ from: text, to: text, value: text, validAfter: text, validBefore: text, nonce: text }),
  signature: text,
  resourceUrl: text,
});

/** The form in which the ledger keeps a signed payment. */
export const writeSignedPayment = (payment: SignedPayment): string => canonicalJson(payment);
/** Throws for what `writeSignedPayment` has not written. */
export const readSignedPayment = (written: string): SignedPayment => signedPayment.parse(JSON.parse(written));
