/** The right to move one report until another worker takes it over. Times are clock milliseconds. */
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
  /** The highest token on the report's stream; the new token is higher. */
  readonly above: number;
  /** Investigations that may begin on the day of `now` (UTC). */
  readonly budget: number;
}

type TakenReportLease =
  | { readonly kind: 'taken' | 'renewed'; readonly lease: ReportLease }
  | { readonly kind: 'held'; readonly lease: ReportLease }
  | { readonly kind: 'exhausted' };

/** Leases of reports, exact among all processes. An expired lease has no holder. */
export interface ReportLeases {
  /** One statement. The current holder keeps its token and extends its lease, which begins no investigation. */
  take(wanted: TakeReportLease): Promise<TakenReportLease>;
  /** False when the lease has expired or has another holder. */
  renew(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>, now: number, leaseMs: number): Promise<boolean>;
  /** No effect when it has another holder. */
  release(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>): Promise<void>;
  forget(reportId: string): Promise<void>;
  /** Null without a holder. */
  current(reportId: string, now: number): Promise<ReportLease | null>;
  held(now: number): Promise<readonly ReportLease[]>;
  /** Investigations begun on the day of `now`. */
  begun(now: number): Promise<number>;
}

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

/** The number of open reports of all accounts, and reservations for reports being created, in one row, so that the limit is exact. */
export interface ReportQueue {
  /** Reserves one of the open reports until it is counted or released; false at the limit. Times are clock milliseconds. */
  reserve(place: { readonly reportId: string; readonly until: number; readonly limit: number }): Promise<boolean>;
  giveBack(reportId: string): Promise<void>;
  count(reportId: string): Promise<void>;
  look(): Promise<QueueState>;
  /** Corrects the count and deletes reservations; false where the state has changed since it was read. */
  recount(recounting: { readonly open: number; readonly freed: readonly string[]; readonly seen: QueueState }): Promise<boolean>;
}

interface QueueState {
  readonly recounts: number;
  /** Expiry of each reservation, by report. */
  readonly reserved: ReadonlyMap<string, number>;
}

export interface ClientLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests of clients in fixed windows aligned to the clock, exactly, across processes. */
export interface ClientCounts {
  /** Null when counted, else whole seconds to the end of the window, at least 1. `client` is a uuid, `now` clock milliseconds. */
  take(client: string, limit: ClientLimit, now: number): Promise<number | null>;
}
