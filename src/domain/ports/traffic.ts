/** How much a database is used, by whomever. */
export interface Traffic {
  /** Transactions committed since some beginning; what is noted may lie a second behind. */
  transactions(): Promise<number>;
}
