/** What several processes count of the same things in the same windows of time, so that a limit can hold over all of them. */
export interface SharedCounts {
  /**
   * Tells the others how much this process has counted in a window so far, and resolves to how much they have, by the same names; what
   * none of them has counted is left out. Sending the same again changes nothing. `window` is its start in milliseconds.
   */
  exchange(window: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
  /** Drops every window that started before the given time. */
  forget(before: number): Promise<void>;
}
