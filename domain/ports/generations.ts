import type { Transaction } from './database.ts';
import type { CountedEvent, EventMark } from '../read-log.ts';
import type { Position } from './event-log.ts';
import type { Projection } from './projection.ts';

/**
 * `scratch` is built for a comparison. `retired` and `refused` will be dropped; `retired` can go live again until
 * `keptUntil`.
 */
export type GenerationState = 'live' | 'building' | 'scratch' | 'retired' | 'refused';

export interface ProcessorState {
  readonly logId: string | null;
  readonly checkpoint: Position;
  /** Last event that was folded or handled. Null if there is none, or if an older version of the program did it. */
  readonly lastEvent: EventMark | null;
  readonly owner: string | null;
  readonly token: number;
  readonly leaseUntil: number;
  readonly pausedReason: string | null;
  readonly pausedEvent: string | null;
}

export interface Generation extends ProcessorState {
  readonly generation: number;
  readonly projection: string;
  readonly version: number;
  readonly state: GenerationState;
  /** Number of events folded since the tables were created. */
  readonly folded: number;
  readonly createdAt: number;
  readonly changedAt: number;
  /** True if the rebuild is not switched to until an operator decides. */
  readonly held: boolean;
  /** True if an operator accepts the differences. Ignored for published history. */
  readonly acceptDifferences: boolean;
  /** Time when an operator paused it. Independent of a pause at an event that cannot be folded. */
  readonly operatorPausedAt: number | null;
  readonly comparison: Comparison | null;
  readonly keptUntil: number | null;
  readonly speed: Speed;
}

/** Speed at which a generation is folded, measured in windows of a few seconds of one owner. */
interface Speed {
  readonly ownedSince: number | null;
  /** Events of the log up to the checkpoint; null if the log cannot count. */
  readonly eventsRead: number | null;
  readonly windowSince: number | null;
  readonly windowFolded: number;
  readonly windowEventsRead: number | null;
  /** Rates of the last complete window: events folded per second, and events of the log read per second. */
  readonly foldRate: number | null;
  readonly readRate: number | null;
}

export interface TableComparison {
  readonly table: string;
  readonly live: { readonly rows: number; readonly digest: string };
  readonly rebuilt: { readonly rows: number; readonly digest: string };
}

export interface Comparison {
  readonly at: number;
  readonly checkpoint: Position;
  /** Number of the live generation. */
  readonly live: number;
  readonly equal: boolean;
  readonly tables: readonly TableComparison[];
  /** Samples of differing rows as text, a few of each kind. */
  readonly differences: readonly string[];
}

/**
 * An operator's decision. It changes the row and ends the lease at once, so that the owner reacts immediately and a
 * frozen owner can commit nothing more. While building: `pause` folding, `resume`, or `cancel`, which does not drop a
 * generation that was live before. While held: `compare` again, or `switch` when it has caught up and is equal.
 * Building or refused: `switch-accepting` differences. Retired with retention: `switch-back` when it has caught up.
 * Retired or refused: `drop` its tables.
 */
export type Decision =
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'compare'
  | 'switch'
  | 'switch-accepting'
  | 'switch-back'
  | 'drop';

/** Exclusive right to fold a generation. The token grows with every takeover, and every commit checks it. */
export interface Lease {
  readonly generation: number;
  readonly owner: string;
  readonly token: number;
}

export interface Advance {
  readonly from: Position;
  readonly to: Position;
  readonly folded: number;
  readonly now: number;
  readonly leaseUntil: number;
  readonly logId: string | null;
  /** Events of the log up to `to`; null if the log cannot count. */
  readonly eventsRead: number | null;
  readonly last: EventMark | null;
  /** Event that the advance relies on. A log in the same database must contain it. */
  readonly proof: CountedEvent | null;
}

/** Stores generations with their checkpoints and leases. Times are milliseconds of the lease clock. */
export interface GenerationStore {
  list(): Promise<readonly Generation[]>;
  /**
   * Creates a generation with empty tables, unless one with this purpose exists. The first generation of a projection
   * is live at once. A `held` one is built but not switched to. A new rebuild ends the retention of retired
   * generations.
   */
  create(projection: Projection, purpose: 'live' | 'building' | 'held' | 'scratch', now: number): Promise<Generation>;
  /** Returns the row after the decision, or null if its state does not allow it. */
  decide(generation: number, decision: Decision, now: number): Promise<Generation | null>;
  /** Stores the comparison of a building generation. Returns false if the lease is lost. */
  noteComparison(lease: Lease, comparison: Comparison): Promise<boolean>;
  /** Acquires the lease. Returns null if another owner has it, or if the generation is paused or no longer folded. */
  acquire(
    generation: number,
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<{ lease: Lease; row: Generation } | null>;
  renew(lease: Lease, leaseUntil: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /**
   * Moves the checkpoint in the fold's transaction. Returns false if the lease or the old checkpoint no longer matches.
   */
  advance(transaction: Transaction, lease: Lease, advance: Advance): Promise<boolean>;
  /** Reads the live and the building row, and locks them against every commit. */
  lockPair(
    transaction: Transaction,
    building: number,
  ): Promise<{ readonly live: Generation; readonly building: Generation } | null>;
  /**
   * Makes the building generation live, after `lockPair`. The other one remains until `keptUntil` for a switch back.
   */
  switchTo(transaction: Transaction, live: number, building: number, now: number, keptUntil: number): Promise<void>;
  /** Pauses at an event that cannot be folded. `resume` retries it. */
  pause(lease: Lease, reason: string, eventId: string | null): Promise<void>;
  resume(generation: number): Promise<void>;
  /** Marks a building generation that must not become live. Returns false if the lease is lost. */
  refuse(lease: Lease, reason: string, now: number): Promise<boolean>;
  /** Retires a generation that is no longer built. */
  abandon(generation: number, now: number): Promise<void>;
  /** Drops the tables of a retired generation. Returns false while a reader uses them. */
  drop(generation: number, tables: readonly string[]): Promise<boolean>;
}
