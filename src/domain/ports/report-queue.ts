/** How many reports are open, of all accounts, with those that are just being taken in: one row, so that the cap on them holds exactly. */
export interface ReportQueue {
  /** Keeps a place for a report, until it is counted or given back; false where there is none. Times are clock milliseconds. */
  reserve(place: { readonly reportId: string; readonly until: number; readonly limit: number }): Promise<boolean>;
  giveBack(reportId: string): Promise<void>;
  /** The report is among the open ones that can be read: its place becomes one of theirs. */
  count(reportId: string): Promise<void>;
  look(): Promise<QueueState>;
  /** Puts right what was counted, and frees places; false where somebody has counted since the state was looked at. */
  reckon(reckoning: { readonly open: number; readonly freed: readonly string[]; readonly seen: QueueState }): Promise<boolean>;
}

export interface QueueState {
  /** Grows with every change of the number that was counted. */
  readonly reckoned: number;
  /** By report: until when whoever took the place is still at work. */
  readonly reserved: ReadonlyMap<string, number>;
}
