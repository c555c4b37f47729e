export interface ClaimedToken {
  readonly accountId: string;
  readonly tokenKey: string;
  /** A uuid of the claimant. */
  readonly by: string;
}

/** Tokens of reports being created: the same token elsewhere waits, and counts once. The stream alone ensures one report per token. */
export interface ReportClaims {
  /** False while another claim holds. Times are clock milliseconds. */
  claim(claimed: ClaimedToken, until: number, now: number): Promise<boolean>;
  release(claimed: ClaimedToken): Promise<void>;
}
