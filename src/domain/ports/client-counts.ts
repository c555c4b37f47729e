/** So many requests in so many seconds. */
export interface ClientLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts what clients ask in fixed windows aligned to the clock, exactly, also among several processes. */
export interface ClientCounts {
  /**
   * Counts a request and gives null, or counts none and gives the whole seconds to the end of the window, at least 1. `client` is a uuid,
   * `now` clock milliseconds. Throws what the database throws.
   */
  take(client: string, limit: ClientLimit, now: number): Promise<number | null>;
}
