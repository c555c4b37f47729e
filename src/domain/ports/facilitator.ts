import type { Authorization, PaymentKey, PaymentTerms, SignedPayment } from '../payments/payment.ts';

export type Verification =
  | { readonly kind: 'valid' }
  /** `reason` is one of x402's words, or `unrecognised`: text of the facilitator's own goes nowhere. */
  | { readonly kind: 'refused'; readonly reason: string; readonly expired: boolean }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Settlement =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** No money has moved for this payment by this call, and none will. */
  | { readonly kind: 'refused'; readonly reason: string; readonly transaction: string | null }
  /** Money may have moved, or may yet move. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly transaction: string | null };

/** Verifies and settles payments on the chain for us. Neither call throws, and both end within their time. */
export interface Facilitator {
  verify(payment: SignedPayment): Promise<Verification>;
  /** Never to be called before the ledger says so, and never given up half-way: it has no signal. */
  settle(payment: SignedPayment): Promise<Settlement>;
}

/** Whether the payer's own key has signed the authorization under the terms' EIP-712 domain; asks nobody. */
export type CheckSignature = (authorization: Authorization, terms: PaymentTerms, signature: string) => Promise<boolean>;

/** What the chain itself says about a payment. */
export type OnChain =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** The nonce is used, and not to pay us: cancelled by the payer, or spent otherwise. */
  | { readonly kind: 'used_otherwise' }
  | { readonly kind: 'unused' }
  | { readonly kind: 'unavailable' };

export interface ChainLookup {
  /** `since` and `until` are the times, in milliseconds, between which it can have been settled at all. Never throws. */
  look(
    key: PaymentKey,
    expected: { readonly payTo: string; readonly amount: string; readonly since: number; readonly until: number },
  ): Promise<OnChain>;
}
