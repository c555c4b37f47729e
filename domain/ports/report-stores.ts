/** Exclusive right to process a report until another worker acquires it. Times are clock milliseconds. */
export interface ReportLease {
  readonly reportId: string;
  readonly holder: string;
  /** Grows on every takeover. */
  readonly token: number;
  readonly leaseUntil: number;
}

interface TakeReportLease {
  readonly reportId: string;
  readonly holder: string;
  readonly now: number;
  readonly leaseMs: number;
  /** Highest token on the report's stream. The new token is higher. */
  readonly above: number;
  /** Most investigations that may begin on the day of `now` (UTC). */
  readonly budget: number;
}

type TakenReportLease =
  | { readonly kind: 'taken' | 'renewed'; readonly lease: ReportLease }
  | { readonly kind: 'held'; readonly lease: ReportLease }
  | { readonly kind: 'exhausted' };

/** Stores the leases of reports for all processes. An expired lease has no holder. */
export interface ReportLeases {
  /** Acquires a lease. The current holder extends its lease with the same token, which begins no investigation. */
  take(request: TakeReportLease): Promise<TakenReportLease>;
  /** Returns false if the lease has expired or has another holder. */
  renew(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>, now: number, leaseMs: number): Promise<boolean>;
  /** Ends a lease. No effect if it has another holder. */
  release(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>): Promise<void>;
  forget(reportId: string): Promise<void>;
  /** Returns the current lease, or null if there is none. */
  current(reportId: string, now: number): Promise<ReportLease | null>;
  listValid(now: number): Promise<readonly ReportLease[]>;
  /** Returns the number of investigations begun on the day of `now`. */
  countBegun(now: number): Promise<number>;
}

export interface ClaimedToken {
  readonly accountId: string;
  readonly tokenKey: string;
  /** A uuid of the claimant. */
  readonly by: string;
}

/** Claims tokens of reports being created, so that a repeated token waits and counts once. */
export interface ReportClaims {
  /** Returns false while another claim is valid. Times are clock milliseconds. */
  claim(claimed: ClaimedToken, until: number, now: number): Promise<boolean>;
  release(claimed: ClaimedToken): Promise<void>;
}

/** Counts the open reports of all accounts and the reservations for new ones in one row, so that the limit is exact. */
export interface ReportQueue {
  /**
   * Reserves a place until the report is counted or released. Returns false at the limit. Times are clock milliseconds.
   */
  reserve(place: { readonly reportId: string; readonly until: number; readonly limit: number }): Promise<boolean>;
  giveBack(reportId: string): Promise<void>;
  count(reportId: string): Promise<void>;
  look(): Promise<QueueState>;
  /** Corrects the count and deletes reservations. Returns false if the state has changed since it was read. */
  recount(recounting: {
    readonly open: number;
    readonly freed: readonly string[];
    readonly seen: QueueState;
  }): Promise<boolean>;
}

interface QueueState {
  readonly recounts: number;
  /** Expiry of each reservation by report. */
  readonly reserved: ReadonlyMap<string, number>;
}

export interface ClientLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests of clients in fixed windows aligned to the clock, exactly and across processes. */
export interface ClientCounts {
  /** Returns null if counted, else the seconds to the end of the window, at least 1. `client` is a uuid. */
  take(client: string, limit: ClientLimit, now: number): Promise<number | null>;
}
