import { z } from 'zod';
import { canonicalJson } from '../digests.ts';
import { HOUR_MS, MINUTE_MS } from '../durations.ts';
import { derivedId } from '../identifiers.ts';

/** The only network, asset and scheme that are accepted. Hex is lower case; amounts are smallest units as text. */
export const SCHEME = 'exact' as const;
export const NETWORK = 'eip155:84532' as const;
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

/** Requested validity of a payment: the margin of the chain, plus time for verifying, reading and settling. */
const MAX_TIMEOUT_SECONDS = 120;

/** Returns the terms in the form of x402, for payers and the facilitator. */
export const requirementsOf = ({ asset, amount, payTo, extra }: PaymentTerms) => ({
  scheme: SCHEME,
  network: NETWORK,
  asset,
  amount,
  payTo,
  maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  extra: { ...extra },
});

/** EIP-3009. Times are seconds since the epoch, as text; `nonce` is 32 bytes, unique per payer, network and asset. */
const authorization = z.strictObject({
  from: text,
  to: text,
  value: text,
  validAfter: text,
  validBefore: text,
  nonce: text,
});
export type Authorization = Readonly<z.output<typeof authorization>>;

/**
 * The payer's authorization on the accepted terms: stored in the ledger only, never logged. `resourceUrl` is
 * `mcp://tool/<name>`.
 */
const signedPayment = z.strictObject({ accepted: paymentTerms, authorization, signature: text, resourceUrl: text });
export type SignedPayment = Readonly<z.output<typeof signedPayment>>;

export const writeSignedPayment = (payment: SignedPayment): string => canonicalJson(payment);
export const readSignedPayment = (text: string): SignedPayment => signedPayment.parse(JSON.parse(text));

/** Milliseconds of a lease on a payment. */
export const PAYMENT_LEASE_MS = 15_000;
/** The longest pause before a payment of unknown outcome is examined again, in milliseconds. */
export const MAX_PAUSE_MS = HOUR_MS;
/** If a stored time is this much further ahead than the longest lease or pause allows, the clock was set back since. */
export const SET_BACK_MS = MINUTE_MS;

/** Returns the milliseconds until a lease ends; 0 if it has ended or was taken before the clock was set back. */
export const leaseLeftMs = ({ leaseUntil }: { readonly leaseUntil: number | null }, now: number): number =>
  leaseUntil === null || leaseUntil > now + PAYMENT_LEASE_MS + SET_BACK_MS ? 0 : Math.max(0, leaseUntil - now);

export interface PaymentKey {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

export const paymentKey = ({
  accepted,
  authorization,
}: Pick<SignedPayment, 'accepted' | 'authorization'>): PaymentKey => ({
  network: accepted.network,
  asset: accepted.asset,
  payer: authorization.from,
  nonce: authorization.nonce,
});

export const paymentId = ({ network, asset, payer, nonce }: PaymentKey): string =>
  derivedId('payment', network, asset, payer, nonce);

export const toolUrl = (tool: string): string => `mcp://tool/${tool}`;

/** The states of a payment. The database migration lists the transitions and refuses all others. */
export const PAYMENT_STATES = [
  'RESERVED',
  'VERIFIED',
  'RESULT_SAVED',
  'SETTLING',
  'SETTLED',
  'READ_FAILED',
  'READ_EMPTY',
  'SETTLE_FAILED',
  'LAPSED',
  'RECONCILE',
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export const NOT_BILLED = [
  'READ_FAILED',
  'READ_EMPTY',
  'SETTLE_FAILED',
  'LAPSED',
] as const satisfies readonly PaymentState[];
export type NotBilled = (typeof NOT_BILLED)[number];

export const isNotBilled = (state: PaymentState): state is NotBilled =>
  (NOT_BILLED as readonly PaymentState[]).includes(state);
export const hasEnded = (state: PaymentState): boolean => state === 'SETTLED' || isNotBilled(state);

/** The receipt of a settled payment in the form of x402, sent as `_meta["x402/payment-response"]`. */
export const paymentReceipt = z.strictObject({
  success: z.literal(true),
  transaction: z.string(),
  network: z.string(),
  payer: z.string(),
  amount: z.string(),
});
export type PaymentReceipt = z.output<typeof paymentReceipt>;

export const receiptOf = (
  { network, payer, amount }: { readonly network: string; readonly payer: string; readonly amount: string },
  transaction: string,
): PaymentReceipt => ({ success: true, transaction, network, payer, amount });

export const transactionHash = z
  .string()
  .toLowerCase()
  .regex(/^0x(?!0{64}$)[0-9a-f]{64}$/);
