export interface ClientLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests of clients in fixed windows aligned to the clock, exactly, across processes. */
export interface ClientCounts {
  /** Null when counted, else whole seconds to the end of the window, at least 1. `client` is a uuid, `now` clock milliseconds. */
  take(client: string, limit: ClientLimit, now: number): Promise<number | null>;
}
