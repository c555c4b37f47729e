/** The right to move one report, as long as nobody has taken it over. Times are clock milliseconds. */
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
  /** The highest token that the report's stream has seen; the new one is higher. */
  readonly above: number;
  /** Investigations that may begin on the day of `now` (UTC). */
  readonly budget: number;
}

export type TakenReportLease =
  | { readonly kind: 'taken' | 'renewed'; readonly lease: ReportLease }
  | { readonly kind: 'held'; readonly lease: ReportLease }
  | { readonly kind: 'exhausted' };

/** Leases of reports, exact among all processes. A lease that has run out is nobody's, though nobody has taken it over yet. */
export interface ReportLeases {
  /** One statement; whoever has the lease already keeps its token and gets more time, which begins no investigation. */
  take(wanted: TakeReportLease): Promise<TakenReportLease>;
  /** False when the lease has run out or is another's. */
  renew(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>, now: number, leaseMs: number): Promise<boolean>;
  /** Gives it back; nothing happens when it is another's by now. */
  release(lease: Pick<ReportLease, 'reportId' | 'holder' | 'token'>): Promise<void>;
  /** Drops the row of a report that nobody will work on any more. */
  forget(reportId: string): Promise<void>;
  /** Null when nobody has it now. */
  current(reportId: string, now: number): Promise<ReportLease | null>;
  /** Every lease that is held now. */
  held(now: number): Promise<readonly ReportLease[]>;
  /** Investigations begun on the day of `now`. */
  begun(now: number): Promise<number>;
}
