import { z } from 'zod';
import { canonicalJson } from '../canonical-json.ts';
import { derivedId } from '../identifiers.ts';

/** The one network, asset and scheme that is sold for. Hex is lower case throughout; amounts are smallest units as text. */
export const SCHEME = 'exact';
export const NETWORK = 'eip155:84532';
export const CHAIN_ID = 84_532;
export const ASSET = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
export const ASSET_DOMAIN = { name: 'USDC', version: '2' } as const;

const text = z.string();

const paymentTerms = z.strictObject({
  scheme: text,
  network: text,
  asset: text,
  amount: text,
  payTo: text,
  extra: z.strictObject({ name: text, version: text }),
});
export type PaymentTerms = Readonly<z.output<typeof paymentTerms>>;

/**
 * EIP-3009: payer, payee and amount of one transfer between two times (seconds since the epoch, as decimal text). `nonce` is 32 bytes, unique
 * per payer, so a payment is known by network, asset, payer and nonce.
 */
const authorization = z.strictObject({ from: text, to: text, value: text, validAfter: text, validBefore: text, nonce: text });
export type Authorization = Readonly<z.output<typeof authorization>>;

/** Authorizes the payment on the terms that the payer accepted: stored in the ledger only, and never logged. `resourceUrl` is `mcp://tool/<name>`. */
const signedPayment = z.strictObject({ accepted: paymentTerms, authorization, signature: text, resourceUrl: text });
export type SignedPayment = Readonly<z.output<typeof signedPayment>>;

/** The form in which the ledger keeps a signed payment. */
export const writeSignedPayment = (payment: SignedPayment): string => canonicalJson(payment);
/** Throws for what `writeSignedPayment` has not written. */
export const readSignedPayment = (written: string): SignedPayment => signedPayment.parse(JSON.parse(written));

export interface PaymentKey {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

export const paymentKey = ({ accepted, authorization }: Pick<SignedPayment, 'accepted' | 'authorization'>): PaymentKey => ({
  network: accepted.network,
  asset: accepted.asset,
  payer: authorization.from,
  nonce: authorization.nonce,
});

/** The same payment has the same id, for every caller and every time. */
export const paymentId = ({ network, asset, payer, nonce }: PaymentKey): string => derivedId('payment', network, asset, payer, nonce);

export const toolUrl = (tool: string): string => `mcp://tool/${tool}`;
