/**
 * The event log. Each adapter is a folder of `infra`. Every adapter guarantees, as `test/contract/event-log.suite.ts`
 * tests: a reader at position P has seen every event at or below P. No event ever becomes visible below a position that
 * a reader has passed.
 */

/** Position in the log, as text that sorts like the log. Opaque outside its adapter. */
export type Position = string & { readonly __position: unique symbol };

/** Position before the first event. */
export const LOG_START = '' as Position;
/** Value of `expectedRevision` if the stream must not exist. The first event of a stream has revision 0. */
export const NO_STREAM = -1;

export interface EventMetadata {
  /** Command that caused the event. Event ids are derived from it, so that retries are recognized. */
  readonly commandId: string;
  readonly accountId?: string;
  readonly keyId?: string;
  readonly requestId?: string;
  /** Id of the event that caused the command, if a reactor issued it. */
  readonly causedBy?: string;
  /** Number of the last erasure applied to the event's data; absent if nothing was erased. */
  readonly erasures?: number;
}

export interface NewEvent {
  /** uuid5 of command id and index (`eventId` in `domain/identifiers.ts`). */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** Exact JSON text of the event's data, stored and returned byte for byte. */
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
  /** JSON text of `EventMetadata`, parsed on demand. */
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

/** Largest number of events in a batch. Each batch costs a transaction and an update of the checkpoint. */
export const BATCH_EVENTS = 2_000;

/** Size limit of a batch. `readAll` ends it with the event whose `data` reaches this number of bytes. */
export const MAX_BATCH_BYTES = 8 * 1_048_576;

export interface LogBatch {
  readonly events: readonly StoredEvent[];
  /** Position up to which the log was scanned. Beyond the last event if the filter excluded later ones. */
  readonly scannedTo: Position;
  /** Id of the event at `scannedTo`, of any type. Absent if there is none or the store does not return it. */
  readonly scannedId?: string | undefined;
  /** True if `MAX_BATCH_BYTES` ended the batch: it is not full, but the log might have more events. */
  readonly isCut?: boolean | undefined;
}

export interface ReadAll {
  /** Exclusive. */
  readonly after: Position;
  /**
   * Id of the event at `after`, from an earlier read. Throws `HistorySetBack` if the store has a different event or
   * none.
   */
  readonly afterId?: string | undefined;
  readonly limit: number;
  /** Event types to return; all if absent. */
  readonly types?: readonly string[];
}

export interface Subscribe {
  readonly after: Position;
  /** Id of the event at `after`, like in `ReadAll`. */
  readonly afterId?: string | undefined;
  readonly batchSize: number;
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
}

export interface EventLog {
  /**
   * Resolves once it is durable. Throws `LogUnavailable` if nothing was stored, `OutcomeUnknown` if that is uncertain.
   */
  append(append: StreamAppend): Promise<AppendOutcome>;
  /** Appends to each stream in its own atomic step. Outcomes have the order of the appends. Streams must differ. */
  appendEach(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]>;
  /** Ends early when its `data` reaches `MAX_BATCH_BYTES`, like `readAll`. */
  readStream(stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]>;
  readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>>;
  readAll(read: ReadAll): Promise<LogBatch>;
  /** Catches up, then follows the log until the signal aborts. Reads at most one batch ahead. */
  subscribe(subscribe: Subscribe): AsyncIterable<LogBatch>;
  /** Returns the position of the newest event; `LOG_START` if the log is empty. */
  head(): Promise<Position>;
  /**
   * Returns the identity of the log for checkpoints. A copy of the log has another one. Null while the log is empty.
   */
  identity(): Promise<string | null>;
  /** Returns the number of events in (from, to], or null if the store cannot count. */
  distance(from: Position, to: Position): number | null;
}

/** The log cannot be used now. Nothing was stored. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The append might be stored. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The log has no event, or a different one, at a position that a follower has read. */
export class HistorySetBack extends Error {
  override readonly name = 'HistorySetBack';
  readonly held: Position;

  constructor(held: Position, id: string) {
    super(`the log has lost history: it does not have event ${id}, which was read at ${held}`);
    this.held = held;
  }
}

/** A loss of events that this process had read, for example after a failover to a standby or a restored disk image. */
export interface SetBack {
  /** Position of the newest event that was read. */
  readonly held: Position;
  readonly head: Position;
  /** Milliseconds since the epoch. */
  readonly noticedAt: number;
}

/** Remedy in messages. Cursors with a fingerprint need no renewal: those of the lost history are answered 410. */
export const SET_BACK_REMEDY =
  'find the cause; where customers may hold cursors without fingerprints, run `civic feed renew --reason TEXT` ' +
  '(every other cursor of the lost history is answered 410 without it); then run `civic feed acknowledge`';

export interface SetBacks {
  note(setBack: SetBack): Promise<void>;
  /** Returns unacknowledged losses, oldest first. */
  open(): Promise<readonly SetBack[]>;
  acknowledge(now: number): Promise<number>;
}

export interface RewrittenEvent {
  readonly stream: string;
  readonly revision: number;
  readonly data: string;
  readonly metadata: string;
}

export interface ErasingLog {
  /**
   * Appends an erasure. PostgreSQL rewrites the events in the same transaction; with other stores, readers apply the
   * erasure. Throws the errors of `EventLog.append`.
   */
  appendErasure(append: StreamAppend, rewritten: readonly RewrittenEvent[]): Promise<AppendOutcome>;
}

/** Copies of erased texts outside the log and the live read models. All of them can be rebuilt. */
export interface ErasedCopies {
  /**
   * Deletes decider checkpoints of these streams, results of paid calls created up to `until` (milliseconds since the
   * epoch), and tables of earlier builds. Returns the number of payments in progress that have a result or might still
   * save one.
   */
  clear(streams: readonly string[], until: number): Promise<number>;
  /** Makes the database reclaim the space of rewritten and deleted rows that no open snapshot needs. */
  reclaim(): Promise<void>;
}
