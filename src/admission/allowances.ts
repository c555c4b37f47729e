/** What one account may have at once (specification, section Limits), shared by all of its keys. */
export interface Allowances {
  readonly maxPageSize: number;
  /** Bytes of a serialized response body. */
  readonly maxResponseBytes: number;
}

export const DEFAULT_ALLOWANCES: Allowances = { maxPageSize: 500, maxResponseBytes: 5_000_000 };
