import type { PaymentKey } from '../payments/payment.ts';
import type { NotBilled, PaymentState } from '../payments/payment-states.ts';

/** The ledger's times: `now` of a lease, of validity and of looking again is the clock that the chain lives by; of all else the service's. */
export interface PaymentRow extends PaymentKey {
  readonly paymentId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly tool: string;
  /** SHA-256 of the tool and its parsed arguments. */
  readonly requestHash: string;
  /** SHA-256 of what was signed and agreed to. */
  readonly termsHash: string;
  readonly priceVersion: string;
  readonly amount: string;
  readonly payTo: string;
  readonly validBefore: number;
  readonly state: PaymentState;
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** Canonical JSON of the `SignedPayment`; a secret, and gone once the payment has ended. */
  readonly payload: string | null;
  /** JSON text of the tool's data; null before it is saved and when it has been purged. */
  readonly result: string | null;
  readonly resultHash: string | null;
  readonly cause: string | null;
  readonly transaction: string | null;
  /** JSON text of the receipt. */
  readonly receipt: string | null;
  readonly settleAttempts: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly settledAt: number | null;
  readonly factsAfter: number;
  readonly verifiedTold: boolean;
  readonly outcomeTold: boolean;
}

/** A payment as operators see it: nothing that could be used to pay or to read. */
export type ListedPayment = Omit<PaymentRow, 'payload' | 'result' | 'receipt' | 'leaseOwner'>;

export type Reservation = Omit<
  PaymentRow,
  | 'state'
  | 'leaseOwner'
  | 'leaseUntil'
  | 'result'
  | 'resultHash'
  | 'cause'
  | 'transaction'
  | 'receipt'
  | 'settleAttempts'
  | 'updatedAt'
  | 'settledAt'
  | 'verifiedTold'
  | 'outcomeTold'
> & { readonly payload: string };

export interface PaymentLease {
  /** A uuid of one piece of work; never used again. */
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

/** Most smallest units that may be reserved and settled in one UTC day. */
export interface PaymentBudget {
  readonly perAccount: bigint;
  readonly ofAll: bigint;
}

export type Reserved =
  | { readonly kind: 'reserved'; readonly row: PaymentRow }
  /** Somebody has used the payment already. */
  | { readonly kind: 'found'; readonly row: PaymentRow }
  | { readonly kind: 'budget_exceeded' }
  /** The wallet is barred, or is another account's. */
  | { readonly kind: 'wallet_refused' };

/** The row as it was seen, which a change must find unchanged. */
export type SeenPayment = Pick<PaymentRow, 'paymentId' | 'state' | 'leaseOwner'>;

export type PaymentMove =
  | { readonly to: 'VERIFIED' }
  | { readonly to: 'RESULT_SAVED'; readonly result: string; readonly resultHash: string }
  /** Written ahead: the attempt is counted before it is made, and only while the lease lasts, which goes on from here. */
  | { readonly to: 'SETTLING'; readonly leaseUntil: number }
  | { readonly to: 'SETTLED'; readonly transaction: string; readonly receipt: string; readonly settledAt: number }
  | { readonly to: NotBilled; readonly cause: string | null; readonly transaction?: string | null }
  | { readonly to: 'RECONCILE'; readonly cause: string; readonly transaction: string | null; readonly lookAt: number };

/**
 * The working rows of pay as you go. Each method is one transaction; a change is compare-and-set on state and lease owner, and null or
 * false means that the row was no longer as it was seen. Throws what the database throws, and then nothing or all of it has happened.
 */
export interface PaymentLedger {
  find(key: PaymentKey): Promise<PaymentRow | null>;
  get(paymentId: string): Promise<PaymentRow | null>;
  /** Takes the row and its share of the budget, or tells why not. */
  reserve(reservation: Reservation, lease: PaymentLease, budget: PaymentBudget): Promise<Reserved>;
  /** Takes over what nobody works on any more. */
  takeOver(seen: SeenPayment, lease: PaymentLease): Promise<PaymentRow | null>;
  move(seen: SeenPayment, move: PaymentMove, now: number): Promise<PaymentRow | null>;
  /** Settled is settled, whoever worked on it meanwhile: from SETTLING or RECONCILE under any lease. */
  settledAfterAll(paymentId: string, move: Extract<PaymentMove, { to: 'SETTLED' }>, now: number): Promise<PaymentRow | null>;
  /** Deletes a row for which nothing has happened yet, and gives its share of the budget back. */
  forget(seen: SeenPayment): Promise<boolean>;

  /** Rows whose lease is over and that are to be moved on; a saved result stays for the payer until its payment is past its time. */
  abandoned(now: number, limit: number): Promise<readonly PaymentRow[]>;
  /** Leases rows of unknown outcome that are due to be looked at. */
  claimUnknown(lease: PaymentLease, limit: number): Promise<readonly PaymentRow[]>;
  /** Leases one of them, due or not; null when there is none or somebody works on it. */
  claimOne(paymentId: string, lease: PaymentLease): Promise<PaymentRow | null>;
  /** Counts another attempt to settle before it is made. */
  attempt(seen: SeenPayment, now: number): Promise<boolean>;
  /** Gives the lease back; the row is looked at again at that time. */
  lookAgain(
    seen: SeenPayment,
    note: { readonly cause: string; readonly transaction: string | null; readonly lookAt: number },
  ): Promise<void>;

  /** Rows with something that the account's stream has not been told, last changed before the time. */
  untold(before: number, limit: number): Promise<readonly PaymentRow[]>;
  told(paymentId: string, fact: 'verified' | 'outcome'): Promise<void>;
  /** Forgets results that were settled before the time; resolves to their number. */
  purgeResults(settledBefore: number): Promise<number>;

  list(filter: { readonly state: PaymentState | null; readonly limit: number }): Promise<readonly ListedPayment[]>;
  /** Payments by state: those that have not ended, and those of the others that were begun at or after the time; 100,000 of either at most. */
  countByState(begunSince: number): Promise<ReadonlyMap<PaymentState, number>>;
  bar(network: string, payer: string, barred: boolean, now: number): Promise<void>;
  /** Lets another account pay from a wallet. */
  release(network: string, payer: string, now: number): Promise<boolean>;
}
