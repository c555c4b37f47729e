export interface Traffic {
  /** Transactions committed since the statistics were reset; may lag by a second. */
  transactions(): Promise<number>;
}
