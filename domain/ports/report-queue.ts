/** The number of open reports of all accounts, and reservations for reports being created, in one row, so that the limit is exact. */
export interface ReportQueue {
  /** Reserves one of the open reports until it is counted or released; false at the limit. Times are clock milliseconds. */
  reserve(place: { readonly reportId: string; readonly until: number; readonly limit: number }): Promise<boolean>;
  giveBack(reportId: string): Promise<void>;
  /** Turns the reservation of a report into a counted open report. */
  count(reportId: string): Promise<void>;
  look(): Promise<QueueState>;
  /** Corrects the count and deletes reservations; false where the state has changed since it was read. */
  recount(recounting: { readonly open: number; readonly freed: readonly string[]; readonly seen: QueueState }): Promise<boolean>;
}

export interface QueueState {
  /** Grows with every change of the count. */
  readonly recounts: number;
  /** Expiry of each reservation, by report. */
  readonly reserved: ReadonlyMap<string, number>;
}
