/**
 * The event log. Each adapter is a folder of `infra`. Every adapter guarantees (tested by `test/contract/event-log.suite.ts`): a reader that was
 * given position P has seen every event at or below P, for ever. No event becomes visible below a position that a reader has passed.
 */

/** A position in the log, as a text whose order is the order of the log. Opaque outside its adapter. */
export type Position = string & { readonly __position: unique symbol };

/** Before the first event. */
export const LOG_START = '' as Position;
/** `expectedRevision` of a stream that must not exist. The first event of a stream has revision 0. */
export const NO_STREAM = -1;

export interface EventMetadata {
  /** The command that caused the event. Event ids derive from it, so a retry is recognised. */
  readonly commandId: string;
  readonly accountId?: string;
  readonly keyId?: string;
  readonly requestId?: string;
  /** Id of the event that caused the command, where a reactor issued it. */
  readonly causedBy?: string;
  /** Number of the last erasure applied to the event's data; absent where nothing was erased. */
  readonly erasures?: number;
}

export interface NewEvent {
  /** uuid5 of command id and index (`eventId` in `domain/identifiers.ts`). */
  readonly id: string;
  readonly type: string;
  readonly schemaVersion: number;
  /** The exact JSON text of the event's data, stored and read back byte for byte. */
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

/** Events that a processor reads at once, small ones: a batch costs a transaction and an advance of the checkpoint. */
export const BATCH_EVENTS = 2_000;

/** `readAll` ends a batch with the event with which its `data` reaches so many bytes: what follows the log holds few batches at once. */
export const MAX_BATCH_BYTES = 8 * 1_048_576;

export interface LogBatch {
  readonly events: readonly StoredEvent[];
  /** The position up to which the log was scanned: at or beyond the last event, also when the filter excluded every event. */
  readonly scannedTo: Position;
  /** Id of the event at `scannedTo`, of any type, also where nothing was scanned; absent where there is none or the store does not return it. */
  readonly scannedId?: string | undefined;
  /** Ended by `MAX_BATCH_BYTES`: fewer events than the limit, and the log may have more. */
  readonly isCut?: boolean | undefined;
}

export interface ReadAll {
  /** Exclusive. */
  readonly after: Position;
  /** Id of the event at `after`, from an earlier read. A store that returns ids throws `HistorySetBack` where it has another or none. */
  readonly afterId?: string | undefined;
  readonly limit: number;
  /** Event types to return; all when left out. */
  readonly types?: readonly string[];
}

export interface Subscribe {
  readonly after: Position;
  /** As in `ReadAll`. */
  readonly afterId?: string | undefined;
  readonly batchSize: number;
  readonly types?: readonly string[];
  readonly signal: AbortSignal;
}

export interface EventLog {
  /** Durable when it resolves. Throws `OutcomeUnknown` when the connection was lost during it, `LogUnavailable` when nothing was sent. */
  append(append: StreamAppend): Promise<AppendOutcome>;
  /** Appends to each stream atomically by itself. Outcomes are in the order of the appends. A stream occurs at most once. */
  appendEach(appends: readonly StreamAppend[]): Promise<readonly AppendOutcome[]>;
  /** Ends as `readAll` where its `data` reaches `MAX_BATCH_BYTES`. */
  readStream(stream: string, afterRevision: number, limit: number): Promise<readonly StoredEvent[]>;
  readLast(streams: readonly string[]): Promise<ReadonlyMap<string, StoredEvent>>;
  readAll(read: ReadAll): Promise<LogBatch>;
  /** Catches up, then follows live; ends when the signal aborts. Reads ahead one batch at most. */
  subscribe(subscribe: Subscribe): AsyncIterable<LogBatch>;
  /** Position of the newest event; `LOG_START` when the log is empty. */
  head(): Promise<Position>;
  /** Identifies the log in checkpoints. Another store, or a copy of the log, has another identity. Null while the log is empty. */
  identity(): Promise<string | null>;
  /** Number of events in (from, to], or null where the store cannot count. */
  distance(from: Position, to: Position): number | null;
}

/** Nothing was sent. */
export class LogUnavailable extends Error {
  override readonly name = 'LogUnavailable';
}

/** The append may or may not be stored. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** A follower of the log holds a position whose event is missing from the log, or is another event there. */
export class HistorySetBack extends Error {
  override readonly name = 'HistorySetBack';
  readonly held: Position;

  constructor(held: Position, id: string) {
    super(`the log has lost history: it does not have event ${id}, which was read at ${held}`);
    this.held = held;
  }
}

/** The log has lost events that this process had read, as after a failover to a standby or a restored disk image. */
export interface SetBack {
  /** Position of the newest event that had been read. */
  readonly held: Position;
  readonly head: Position;
  /** Milliseconds since the epoch. */
  readonly noticedAt: number;
}

/** A cursor with a fingerprint needs no renewal: those of the lost history are answered 410, the others continue. */
export const SET_BACK_REMEDY =
  'find the cause; where customers may hold cursors without fingerprints, run `civic feed renew --reason TEXT` (every other cursor of the lost history is answered 410 without it); then run `civic feed acknowledge`';

export interface SetBacks {
  note(setBack: SetBack): Promise<void>;
  /** Unacknowledged losses, oldest first. */
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
  /** PostgreSQL rewrites the events in the same transaction; elsewhere readers apply the erasure. Throws what `EventLog.append` throws. */
  appendErasure(append: StreamAppend, rewritten: readonly RewrittenEvent[]): Promise<AppendOutcome>;
}

/** Copies of erased texts outside the log and the live read models. All of them can be derived again. */
export interface ErasedCopies {
  /**
   * Deletes decider checkpoints of these streams, results of paid calls created up to `until` (milliseconds since the epoch), and tables of
   * earlier builds. Resolves to the number of results that a payment in progress still holds or may still save.
   */
  clear(streams: readonly string[], until: number): Promise<number>;
  /** Makes the database reclaim the space of rewritten and deleted rows that no open snapshot needs. */
  reclaim(): Promise<void>;
}
