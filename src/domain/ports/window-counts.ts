/** So many units in so many seconds, in fixed windows aligned to the clock. */
export interface Bucket {
  /** Names the counter of the account: the same name is the same counter everywhere. */
  readonly name: string;
  readonly limit: number;
  readonly seconds: number;
}

export interface BucketState {
  readonly bucket: Bucket;
  /** Units left in the window. */
  readonly remaining: number;
  /** Whole seconds to the end of the window, at least 1. */
  readonly resetSeconds: number;
}

export type Taken =
  | { readonly kind: 'taken'; readonly states: readonly BucketState[] }
  /** Nothing was taken from any of them; `retryAfterSeconds` is that of the exhausted bucket that opens last. */
  | { readonly kind: 'exhausted'; readonly bucket: Bucket; readonly retryAfterSeconds: number };

/** Counts what an account uses in windows of time, exactly, also among several processes. */
export interface WindowCounts {
  /** Takes the units from all of the buckets or from none, in one statement. `now` is clock milliseconds. Throws what the database throws. */
  take(accountId: string, buckets: readonly Bucket[], units: number, now: number): Promise<Taken>;
}

/** Whole seconds from now to a time, at least 1; both in milliseconds. */
export const secondsUntil = (time: number, now: number): number => Math.max(1, Math.ceil((time - now) / 1000));
