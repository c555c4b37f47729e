import type { Resource } from '../domain/records/resources.ts';
import type { CreatedSnapshot } from './create-civic-snapshot.ts';
import type { Health } from './read-civic-health.ts';

/**
 * What the edge asks of the program behind it, one function per operation. Inputs are parsed and clamped. Refusals are thrown as
 * `Rejection`; `DeadlineExceeded` is answered 504, and a store that cannot be reached 503, without the function doing anything about it.
 */
export interface OperationFunctions {
  readonly readCivicChanges: (input: ChangesInput) => Promise<JsonPage>;
  readonly createCivicSnapshot: (input: SnapshotInput) => Promise<CreatedSnapshot>;
  readonly readCivicSnapshotPage: (input: SnapshotPageInput) => Promise<JsonPage>;
  readonly readCivicRecords: (input: RecordsInput) => Promise<JsonPage>;
  readonly readCivicHealth: () => Promise<Health>;
}

/** A whole response body as JSON text, sent as it is, and the number of items in it (for the metrics). */
export interface JsonPage {
  readonly text: string;
  readonly items: number;
}

export interface ChangesInput {
  /** As received; decoding, binding (400) and expiry (410) are the query's. Left out: the oldest replayable position. */
  readonly cursor?: string;
  /** Left out: every resource. */
  readonly resource?: Resource;
  readonly limit: number;
  /** The edge refuses a larger body by itself; a query may stop earlier. */
  readonly maxResponseBytes: number;
}

export interface SnapshotInput {
  readonly accountId: string;
  readonly keyId: string;
  readonly requestId: string;
}

export interface SnapshotPageInput {
  readonly accountId: string;
  readonly snapshotId: string;
  readonly resource: Resource;
  readonly cursor?: string;
  readonly limit: number;
  readonly maxResponseBytes: number;
}

export interface RecordsInput {
  /** Each resource once, its ids lower-case uuids, each once; ids that no record can have are left out already. */
  readonly requests: readonly { readonly resource: Resource; readonly ids: readonly string[] }[];
  readonly maxResponseBytes: number;
}
