/** The right to move one report until another worker takes it over. Times are clock milliseconds. */
export interface ReportLease {
  readonly reportId: string;
  readonly holder: string;
  /** Grows on every takeover. */
  readonly token: number;
  readonly leaseUntil: number;
}

export interface TakeReportLease {
  readonly reportId: string;
  readonly holder: string;
  readonly now: number;
  readonly leaseMs: number;
  /** The highest token on the report's stream; the new token is higher. */
  readonly above: number;
  /** Investigations that may begin on the day of `now` (UTC). */
  readonly budget: number;
}

export type TakenReportLease =
  | { readonly kind: 'taken' | 'renewed'; readonly lease: ReportLease }
  | { readonly kind: 'held'; readonly lease: ReportLease }
  | { readonly kind: 'exhausted' };

/** Leases of reports, exact among all processes. An expired lease has no holder. */
export interface ReportLeases {
  /** One statement. The current holder keeps its token and extends its lease, which begins no investigation. */
  take(wanted: TakeReportLease): Promise<TakenReportLease>;
  /** False when the lease has expired or has another holder. */
  renew(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>, now: number, leaseMs: number): Promise<boolean>;
  /** Ends the lease; no effect when it has another holder. */
  release(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>): Promise<void>;
  /** Drops the row of a closed report. */
  forget(reportId: string): Promise<void>;
  /** Null without a holder. */
  current(reportId: string, now: number): Promise<ReportLease | null>;
  held(now: number): Promise<readonly ReportLease[]>;
  /** Investigations begun on the day of `now`. */
  begun(now: number): Promise<number>;
}
