/** Limit of units in a window. Windows are fixed and aligned to the clock. */
export interface Bucket {
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
}

export interface BucketState {
  readonly bucket: Bucket;
  readonly remaining: number;
  /** Whole seconds to the end of the window, at least 1. */
  readonly resetSeconds: number;
}

/** Remaining units of an allowance. `seconds` and `resetSeconds` are null if no window restores it. */
export interface AllowanceState {
  readonly bucket: Omit<Bucket, 'seconds'> & { readonly seconds: number | null };
  readonly remaining: number;
  readonly resetSeconds: number | null;
}
/** Receives the allowances that apply to a request. */
export type OnAllowance = (states: readonly AllowanceState[]) => void;

type TakeResult =
  | { readonly kind: 'taken'; readonly states: readonly BucketState[] }
  /** No bucket was charged. `retryAfterSeconds` belongs to the exhausted bucket that resets last. */
  | { readonly kind: 'exhausted'; readonly bucket: Bucket; readonly retryAfterSeconds: number };

/** Counts the usage of accounts in fixed windows, exactly and across processes. */
export interface WindowCounts {
  /** Charges all buckets or none, in one statement. `now` is clock milliseconds. Throws errors of the database. */
  take(accountId: string, buckets: readonly Bucket[], units: number, now: number): Promise<TakeResult>;
}

/** Shares counters between processes, so that one limit applies to all of them. */
export interface SharedCounts {
  /**
   * Publishes own counts and returns the sums of the other processes, without zeros. Idempotent. `window` is its start.
   */
  exchange(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
  /** Deletes every window that started before that time. */
  forget(before: number): Promise<void>;
}

/** Last position of the feed that a key read. */
export interface FeedRead {
  readonly keyId: string;
  /** Clock milliseconds. */
  readonly readAt: number;
  /** Time of the first change after the cursor that was read from; null at the head. */
  readonly unreadSince: number | null;
}
