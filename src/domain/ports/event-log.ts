/**
 * The log as the rest of the program sees it. Adapters: `infra/postgresql`, and one for each further store.
 *
 * The guarantee that every adapter gives (proved by `test/contract/event-log`): a reader that has been given position P has seen every
 * event at or below P, for ever. No event becomes visible below a position that a reader has already passed.
 */

/** A place in the whole log, in a form whose text order is the log's order. Opaque outside the adapter that made it. */
export type Position = string & { readonly __position: unique symbol };

/** Before the first event. */
export const LOG_START = '' as Position;

/** `expectedRevision` of a stream that must not exist yet; the first event of a stream has revision 0. */
export const NO_STREAM = -1;

export interface EventMetadata {
  /** The command that caused the event; event ids derive from it, so that a retry is recognised. */
  readonly commandId: string;
  readonly accountId?: string;
  readonly keyId?: string;
  readonly requestId?: string;
  /** Id of the event that caused the command, where a reactor issued it. */
  readonly causedBy?: string;
  /** Number of the last erasure that the event's data reads as after; none where nothing of it was erased. */
  readonly erasures?: number;
}

export interface NewEvent {
  /** uuid5 of command id and index (`eventId` in `src/domain/identifiers.ts`). */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** The exact JSON text of the event's data. It is stored and read back byte for byte. */
  readonly data: string;
  readonly metadata: EventMetadata;
  /** Milliseconds since the epoch, from the clock port. */
  readonly time: number;
}

export interface StoredEvent {
  readonly position: Position;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
  /** JSON text of `EventMetadata`; parsed only by those who need it. */
  readonly metadata: string;
  readonly time: number;
}

export interface StreamAppend {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
}

export type AppendOutcome =
  | { readonly kind: 'appended'; readonly position: Position; readonly revision: number }
  | { readonly kind: 'conflict'; readonly actualRevision: number };

export interface LogBatch {
  readonly events: readonly StoredEvent[];
  /** How far the log was scanned; at or beyond the last event, also when the filter let none through. */
  readonly scannedTo: Position;
  /** Id of the event at `scannedTo`, of whatever type; left out where the store does not say it. */
  readonly scannedId?: string | undefined;
}

export interface ReadAll {
  /** Exclusive. */
  readonly after: Position;
  readonly limit: number;
  /** Event types to return; all when left out. */
  readonly types?: readonly string[];
}

export interface Subscribe {
  readonly after: Position;
  readonly batchSize: number;
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
}

export interface EventLog {
  /**
   * Appends to one stream, durably when it resolves. Appends of many callers share a commit.
   * Throws `OutcomeUnknown` when the connection was lost while the append was under way, `LogUnavailable` when nothing was sent.
   */
  append(append: StreamAppend): Promise<AppendOutcome>;
  /**
   * Appends to many streams, each atomic by itself: a conflict in one leaves its neighbours alone. Outcomes in the order of the appends.
   * A stream may occur once.
   */
  appendEach(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]>;
  /** Events of one stream with a revision greater than `afterRevision`, ascending. */
  readStream(stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]>;
  /** The last event of each stream that exists. */
  readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>>;
  readAll(read: ReadAll): Promise<LogBatch>;
  /** Catches up, then follows live; ends when the signal aborts. Reads ahead one batch at most. */
  subscribe(subscribe: Subscribe): AsyncIterable<LogBatch>;
  /** Position of the newest event; `LOG_START` when the log is empty. */
  head(): Promise<Position>;
  /** Names this very log, for checkpoints: another store, or a copy elsewhere, is another log. Null while the log is empty. */
  identity(): Promise<string | null>;
  /** Number of events in (from, to], or null where the store cannot count. */
  distance(from: Position, to: Position): number | null;
}

/** The store could not be reached and nothing was sent. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The connection was lost after the append was sent: it may or may not have been stored. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
