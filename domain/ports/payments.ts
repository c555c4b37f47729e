import type { Identifiers } from '../identifiers.ts';
import type {
  Authorization,
  NotBilled,
  PaymentKey,
  PaymentState,
  PaymentTerms,
  SignedPayment,
} from '../payments/payment.ts';
import type { Clock } from './clock.ts';
import type { EventLog } from './event-log.ts';
import type { Logger } from './logger.ts';

/**
 * A payment at its first use. Leases, validity and `lookAt` use the chain's clock; all other times use the service's
 * clock.
 */
export interface Reservation extends PaymentKey {
  readonly paymentId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly tool: string;
  /** SHA-256 of the tool and its parsed arguments. */
  readonly requestHash: string;
  /** SHA-256 of the signed payment and the accepted terms. */
  readonly termsHash: string;
  readonly priceVersion: string;
  readonly amount: string;
  readonly payTo: string;
  readonly validBefore: number;
  /** Canonical JSON of the `SignedPayment`; a secret. */
  readonly payload: string;
  readonly createdAt: number;
  readonly factsAfter: number;
}

export interface PaymentRow extends Omit<Reservation, 'payload'> {
  readonly state: PaymentState;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** Null after the payment has ended. */
  readonly payload: string | null;
  /** JSON text of the tool's data; null before it is saved and after it is purged. */
  readonly result: string | null;
  readonly resultHash: string | null;
  readonly cause: string | null;
  readonly transaction: string | null;
  /** JSON text. */
  readonly receipt: string | null;
  readonly settleAttempts: number;
  readonly updatedAt: number;
  readonly settledAt: number | null;
  readonly verifiedPublished: boolean;
  readonly outcomePublished: boolean;
}

/** A payment as operators see it, without the secret payload and the result. */
export type ListedPayment = Omit<PaymentRow, 'payload' | 'result' | 'receipt' | 'leaseOwner'>;

export interface PaymentLease {
  /** Uuid of one piece of work. It is never reused. */
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** Most smallest units that are reserved or settled in one UTC day. */
export interface PaymentBudget {
  readonly perAccount: bigint;
  readonly ofAll: bigint;
}

export type Reserved =
  | { readonly kind: 'reserved'; readonly row: PaymentRow }
  /** The payment was used before. */
  | { readonly kind: 'found'; readonly row: PaymentRow }
  | { readonly kind: 'budget_exceeded' }
  /** The wallet is barred, or belongs to another account. */
  | { readonly kind: 'wallet_refused' };

/** The row as it was read. A change applies only if these fields are unchanged. */
export type SeenPayment = Pick<PaymentRow, 'paymentId' | 'state' | 'leaseOwner'>;

export type PaymentMove =
  | { readonly to: 'VERIFIED' }
  | { readonly to: 'RESULT_SAVED'; readonly result: string; readonly resultHash: string }
  /** Counts the attempt before it is made and extends the lease. Applies only while the lease lasts. */
  | { readonly to: 'SETTLING'; readonly leaseUntil: number }
  | { readonly to: 'SETTLED'; readonly transaction: string; readonly receipt: string; readonly settledAt: number }
  | { readonly to: NotBilled; readonly cause: string | null; readonly transaction?: string | null }
  | { readonly to: 'RECONCILE'; readonly cause: string; readonly transaction: string | null; readonly lookAt: number };

/**
 * Stores payments. Each method is one transaction. A change applies only if state and lease owner are unchanged;
 * otherwise the method returns null or false.
 */
export interface PaymentLedger {
  find(key: PaymentKey): Promise<PaymentRow | null>;
  get(paymentId: string): Promise<PaymentRow | null>;
  /** Inserts the row and charges the budget, or returns the reason of the refusal. */
  reserve(reservation: Reservation, lease: PaymentLease, budget: PaymentBudget): Promise<Reserved>;
  /** Acquires a row with an expired lease. */
  takeOver(expected: SeenPayment, lease: PaymentLease): Promise<PaymentRow | null>;
  move(expected: SeenPayment, move: PaymentMove, now: number): Promise<PaymentRow | null>;
  /** Records a settlement from SETTLING or RECONCILE, under any lease. */
  settledAfterAll(
    paymentId: string,
    move: Extract<PaymentMove, { to: 'SETTLED' }>,
    now: number,
  ): Promise<PaymentRow | null>;
  /** Deletes a row without effects, and returns its share of the budget. */
  forget(expected: SeenPayment): Promise<boolean>;

  /**
   * Returns rows with an expired lease that must be continued. A saved result waits for the payer until its payment
   * expires.
   */
  abandoned(now: number, limit: number): Promise<readonly PaymentRow[]>;
  /** Leases rows of unknown outcome whose next check is due. */
  claimUnknown(lease: PaymentLease, limit: number): Promise<readonly PaymentRow[]>;
  /** Leases one row of unknown outcome, due or not. Returns null if there is none or another lease is valid. */
  claimOne(paymentId: string, lease: PaymentLease): Promise<PaymentRow | null>;
  /** Counts another settlement attempt before it is made. */
  attempt(expected: SeenPayment, now: number): Promise<boolean>;
  /** Ends the lease and sets the time of the next check. */
  postponeCheck(expected: SeenPayment, note: Omit<Extract<PaymentMove, { to: 'RECONCILE' }>, 'to'>): Promise<void>;

  /** Returns rows last changed before the time whose facts are not yet on the account's stream. */
  unpublished(before: number, limit: number): Promise<readonly PaymentRow[]>;
  markPublished(paymentId: string, fact: 'verified' | 'outcome'): Promise<void>;
  /** Deletes the results of payments settled before the time, and returns their number. */
  purgeResults(settledBefore: number): Promise<number>;

  list(filter: { readonly state: PaymentState | null; readonly limit: number }): Promise<readonly ListedPayment[]>;
  /**
   * Counts payments by state, up to 100,000 per group: unfinished ones, and finished ones created at or after the time.
   */
  countByState(begunSince: number): Promise<ReadonlyMap<PaymentState, number>>;
  bar(network: string, payer: string, barred: boolean, now: number): Promise<void>;
  /** Unbinds a wallet from its account, so that another account can pay with it. */
  release(network: string, payer: string, now: number): Promise<boolean>;
}

export interface PaymentPorts {
  readonly ledger: PaymentLedger;
  /** Null if the channel is off. Existing rows are still completed. */
  readonly facilitator: Facilitator | null;
  readonly log: EventLog;
  /** Clock of the service, for facts and budgets. */
  readonly clock: Clock;
  /** Clock that the chain and all processes share, for leases and validity. */
  readonly chainClock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

export type Verification =
  | { readonly kind: 'valid' }
  /** `reason` is a reason code of x402, or `unrecognised`. Other text of the facilitator is dropped. */
  | { readonly kind: 'refused'; readonly reason: string; readonly expired: boolean }
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Settlement =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** This call has moved no money and will move none. */
  | { readonly kind: 'refused'; readonly reason: string; readonly transaction: string | null }
  /** Money might have moved, or might still move. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly transaction: string | null };

/** Verifies and settles payments on the chain. No method throws, and each ends within its timeout. */
export interface Facilitator {
  verify(payment: SignedPayment): Promise<Verification>;
  /** Settles a payment. Must be called only after the ledger has stored SETTLING. Cannot be aborted. */
  settle(payment: SignedPayment): Promise<Settlement>;
}

/** True if the payer's own key signed the authorization under the terms' EIP-712 domain. Works offline. */
export type CheckSignature = (authorization: Authorization, terms: PaymentTerms, signature: string) => Promise<boolean>;

export type OnChain =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** The nonce is used, but not to pay us: the payer canceled it or spent it otherwise. */
  | { readonly kind: 'used_otherwise' }
  | { readonly kind: 'unused' }
  | { readonly kind: 'unavailable' };

export interface ChainLookup {
  /** Looks for a settlement between the times `since` and `until`, in milliseconds. Never throws. */
  look(
    key: PaymentKey,
    expected: { readonly payTo: string; readonly amount: string; readonly since: number; readonly until: number },
  ): Promise<OnChain>;
}

export interface PaymentChannel {
  readonly facilitator: Facilitator;
  readonly checkSignature: CheckSignature;
  /** Null if no node of the chain is configured. */
  readonly chain: ChainLookup | null;
}
