/** The source of time. Commands, projections and SQL take times as parameters. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after the given milliseconds, or rejects with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
