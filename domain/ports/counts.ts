/** Windows are fixed and aligned to the clock. */
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

/** What is left of an allowance; `seconds` and `resetSeconds` are null where no window gives it back. */
export interface AllowanceState {
  readonly bucket: Omit<Bucket, 'seconds'> & { readonly seconds: number | null };
  readonly remaining: number;
  readonly resetSeconds: number | null;
}
/** Receives the allowances that a request has looked at. */
export type OnAllowance = (states: readonly AllowanceState[]) => void;

type Taken =
  | { readonly kind: 'taken'; readonly states: readonly BucketState[] }
  /** Nothing was taken from any bucket; `retryAfterSeconds` is that of the exhausted bucket that opens last. */
  | { readonly kind: 'exhausted'; readonly bucket: Bucket; readonly retryAfterSeconds: number };

/** Counts the usage of accounts in fixed windows, exactly, across processes. */
export interface WindowCounts {
  /** Takes the units from all of the buckets or from none, in one statement. `now` is clock milliseconds. Throws what the database throws. */
  take(accountId: string, buckets: readonly Bucket[], units: number, now: number): Promise<Taken>;
}

/** Counters of several processes for the same names and windows, so that one limit holds across them. */
export interface SharedCounts {
  /** Publishes own counts and resolves to the sums of the others, without zeros. Idempotent. `window` is its start in milliseconds. */
  exchange(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
  /** Deletes every window that started before the given time. */
  forget(before: number): Promise<void>;
}

/** Where a key read the feed last. */
export interface FeedRead {
  readonly keyId: string;
  /** Clock milliseconds. */
  readonly readAt: number;
  /** When the next change after the cursor that it read from was made; null at the head. */
  readonly unreadSince: number | null;
}
