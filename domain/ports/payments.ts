import type { Identifiers } from '../identifiers.ts';
import type { Authorization, NotBilled, PaymentKey, PaymentState, PaymentTerms, SignedPayment } from '../payments/payment.ts';
import type { Clock } from './clock.ts';
import type { EventLog } from './event-log.ts';
import type { Logger } from './logger.ts';

/** A payment as it is first used. Times of leases, validity and the next look are of the clock that the chain uses; all others are of the service's. */
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
  /** Deleted when the payment ends. */
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

/** A payment as shown to operators, without fields that would allow to pay or to read. */
export type ListedPayment = Omit<PaymentRow, 'payload' | 'result' | 'receipt' | 'leaseOwner'>;

export interface PaymentLease {
  /** A uuid of one piece of work, never reused. */
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** Maximum of smallest units reserved and settled in one UTC day. */
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

/** The row as read. A change applies only while these fields are unchanged. */
export type SeenPayment = Pick<PaymentRow, 'paymentId' | 'state' | 'leaseOwner'>;

export type PaymentMove =
  | { readonly to: 'VERIFIED' }
  | { readonly to: 'RESULT_SAVED'; readonly result: string; readonly resultHash: string }
  /** Counts the attempt before it is made, only while the lease lasts, and extends the lease. */
  | { readonly to: 'SETTLING'; readonly leaseUntil: number }
  | { readonly to: 'SETTLED'; readonly transaction: string; readonly receipt: string; readonly settledAt: number }
  | { readonly to: NotBilled; readonly cause: string | null; readonly transaction?: string | null }
  | { readonly to: 'RECONCILE'; readonly cause: string; readonly transaction: string | null; readonly lookAt: number };

/** Each method is one transaction, each change a compare-and-set on state and lease owner; null or false: the row had changed. */
export interface PaymentLedger {
  find(key: PaymentKey): Promise<PaymentRow | null>;
  get(paymentId: string): Promise<PaymentRow | null>;
  /** Inserts the row and takes its share of the budget, or resolves to the reason of the refusal. */
  reserve(reservation: Reservation, lease: PaymentLease, budget: PaymentBudget): Promise<Reserved>;
  /** Takes over a row whose lease has expired. */
  takeOver(seen: SeenPayment, lease: PaymentLease): Promise<PaymentRow | null>;
  move(seen: SeenPayment, move: PaymentMove, now: number): Promise<PaymentRow | null>;
  /** Records a settlement from SETTLING or RECONCILE, under any lease. */
  settledAfterAll(paymentId: string, move: Extract<PaymentMove, { to: 'SETTLED' }>, now: number): Promise<PaymentRow | null>;
  /** Deletes a row without effects, and returns its share of the budget. */
  forget(seen: SeenPayment): Promise<boolean>;

  /** Rows with an expired lease that must be continued. A saved result waits for the payer until its payment expires. */
  abandoned(now: number, limit: number): Promise<readonly PaymentRow[]>;
  /** Leases rows of unknown outcome whose next look is due. */
  claimUnknown(lease: PaymentLease, limit: number): Promise<readonly PaymentRow[]>;
  /** Leases one of them, due or not; null when there is none or another lease holds it. */
  claimOne(paymentId: string, lease: PaymentLease): Promise<PaymentRow | null>;
  /** Counts another settlement attempt before it is made. */
  attempt(seen: SeenPayment, now: number): Promise<boolean>;
  /** Ends the lease and sets the time of the next look. */
  lookAgain(seen: SeenPayment, note: Omit<Extract<PaymentMove, { to: 'RECONCILE' }>, 'to'>): Promise<void>;

  /** Rows with facts that are not yet on the account's stream, last changed before the time. */
  unpublished(before: number, limit: number): Promise<readonly PaymentRow[]>;
  markPublished(paymentId: string, fact: 'verified' | 'outcome'): Promise<void>;
  /** Deletes results of payments settled before the time; resolves to their number. */
  purgeResults(settledBefore: number): Promise<number>;

  list(filter: { readonly state: PaymentState | null; readonly limit: number }): Promise<readonly ListedPayment[]>;
  /** Payments by state: all that have not ended, and ended ones created at or after the time; at most 100,000 of either. */
  countByState(begunSince: number): Promise<ReadonlyMap<PaymentState, number>>;
  bar(network: string, payer: string, barred: boolean, now: number): Promise<void>;
  /** Unbinds a wallet from its account, so that another account may pay from it. */
  release(network: string, payer: string, now: number): Promise<boolean>;
}

export interface PaymentPorts {
  readonly ledger: PaymentLedger;
  /** Null where the channel is off: rows are tidied up all the same. */
  readonly facilitator: Facilitator | null;
  readonly log: EventLog;
  /** The service's time: of facts and budgets. */
  readonly clock: Clock;
  /** The time that the chain and other processes live by: of leases and validity. */
  readonly chainClock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

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

export interface PaymentChannel {
  readonly facilitator: Facilitator;
  readonly checkSignature: CheckSignature;
  /** Null where no node of the chain is known. */
  readonly chain: ChainLookup | null;
}
