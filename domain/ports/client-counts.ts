/** A number of requests per window of `seconds`. */
export interface ClientLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests of clients in fixed windows aligned to the clock, exactly, across processes. */
export interface ClientCounts {
  /**
   * Counts a request and resolves to null, or counts none and resolves to the whole seconds to the end of the window, at least 1. `client`
   * is a uuid, `now` clock milliseconds. Throws what the database throws.
   */
  take(client: string, limit: ClientLimit, now: number): Promise<number | null>;
}
