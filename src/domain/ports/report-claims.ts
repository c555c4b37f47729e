/** A token of an account, by a key that does not tell it. */
export interface ClaimedToken {
  readonly accountId: string;
  readonly tokenKey: string;
  /** Who claims it; a uuid. */
  readonly by: string;
}

/**
 * Which tokens somebody is making a report of right now, so that the same token at once in several processes waits for the first instead of
 * counting as another submission. That a token makes one report is held by the account's stream, with claims or without.
 */
export interface ReportClaims {
  /** False while another's claim stands. Times are clock milliseconds. */
  claim(claimed: ClaimedToken, until: number, now: number): Promise<boolean>;
  release(claimed: ClaimedToken): Promise<void>;
}
