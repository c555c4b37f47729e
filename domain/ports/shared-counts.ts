/** Counters of several processes for the same names and windows, so that one limit holds across them. */
export interface SharedCounts {
  /**
   * Publishes this process's counts of a window and resolves to the sums of the others, by name; names without a count are absent.
   * Idempotent. `window` is its start in milliseconds.
   */
  exchange(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
  /** Deletes every window that started before the given time. */
  forget(before: number): Promise<void>;
}
