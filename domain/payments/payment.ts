import { derivedId } from '../identifiers.ts';

/** The one network, asset and scheme that is sold for. Hex is lower case throughout; amounts are smallest units as text. */
export const SCHEME = 'exact';
export const NETWORK = 'eip155:84532';
export const CHAIN_ID = 84_532;
export const ASSET = '0x036cbd53842c5426634e7929541ec2318f3dcf7e';
/** The EIP-712 domain of the asset. */
export const ASSET_DOMAIN = { name: 'USDC', version: '2' } as const;

/** The price of one call and its payee. */
export interface PaymentTerms {
  readonly scheme: string;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly payTo: string;
  readonly extra: { readonly name: string; readonly version: string };
}

/** EIP-3009: payer, payee and amount of one transfer between two times (seconds since the epoch, as decimal text). */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  /** 32 bytes; unique per payer, so a payment is known by network, asset, payer and nonce. */
  readonly nonce: string;
}

/** Authorizes the payment: stored in the ledger only, and never logged. */
export interface SignedPayment {
  /** The terms that the payer agreed to. */
  readonly accepted: PaymentTerms;
  readonly authorization: Authorization;
  readonly signature: string;
  /** `mcp://tool/<name>`. */
  readonly resourceUrl: string;
}

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

/** The name under which a tool is sold. */
export const toolUrl = (tool: string): string => `mcp://tool/${tool}`;
