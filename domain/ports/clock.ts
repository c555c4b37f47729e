/** Source of time. Commands, projections and SQL receive times as parameters. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after the milliseconds, or rejects with the signal's reason. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
