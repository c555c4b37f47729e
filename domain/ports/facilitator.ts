import type { Authorization, PaymentKey, PaymentTerms, SignedPayment } from '../payments/payment.ts';

export type Verification =
  | { readonly kind: 'valid' }
  /** `reason` is a word of x402, or `unrecognised`; other text of the facilitator is dropped. */
  | { readonly kind: 'refused'; readonly reason: string; readonly expired: boolean }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Settlement =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** This call moved no money for the payment, and none will move. */
  | { readonly kind: 'refused'; readonly reason: string; readonly transaction: string | null }
  /** Money may have moved, or may still move. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly transaction: string | null };

/** Verifies and settles payments on the chain. Neither call throws; both end within their timeout. */
export interface Facilitator {
  verify(payment: SignedPayment): Promise<Verification>;
  /** Call it only after the ledger has recorded SETTLING. It cannot be aborted. */
  settle(payment: SignedPayment): Promise<Settlement>;
}

/** Whether the payer's own key signed the authorization under the terms' EIP-712 domain. Works offline. */
export type CheckSignature = (authorization: Authorization, terms: PaymentTerms, signature: string) => Promise<boolean>;

export type OnChain =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** The nonce is used, but not to pay us: cancelled by the payer, or spent otherwise. */
  | { readonly kind: 'used_otherwise' }
  | { readonly kind: 'unused' }
  | { readonly kind: 'unavailable' };

export interface ChainLookup {
  /** `since` and `until` bound, in milliseconds, the time of a possible settlement. Never throws. */
  look(
    key: PaymentKey,
    expected: { readonly payTo: string; readonly amount: string; readonly since: number; readonly until: number },
  ): Promise<OnChain>;
}

/** The external parts of pay as you go. */
export interface PaymentChannel {
  readonly facilitator: Facilitator;
  readonly checkSignature: CheckSignature;
  /** Null where no node of the chain is known. */
  readonly chain: ChainLookup | null;
}
