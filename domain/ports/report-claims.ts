/** A token of an account, by a hash. */
export interface ClaimedToken {
  readonly accountId: string;
  readonly tokenKey: string;
  /** A uuid of the claimant. */
  readonly by: string;
}

/**
 * Tokens whose report is being created. The same token in another process waits for the first one instead of counting as another
 * submission. The account's stream ensures one report per token, also without claims.
 */
export interface ReportClaims {
  /** False while another claim holds. Times are clock milliseconds. */
  claim(claimed: ClaimedToken, until: number, now: number): Promise<boolean>;
  release(claimed: ClaimedToken): Promise<void>;
}
