/** Counters of several processes for the same names and windows, so that one limit holds across them. */
export interface SharedCounts {
  /** Publishes own counts and resolves to the sums of the others, without zeros. Idempotent. `window` is its start in milliseconds. */
  exchange(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
  /** Deletes every window that started before the given time. */
  forget(before: number): Promise<void>;
}
