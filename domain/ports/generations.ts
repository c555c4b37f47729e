import type { Transaction } from './database.ts';
import type { CountedEvent, EventMark } from '../read-log.ts';
import type { Position } from './event-log.ts';
import type { Projection } from './projection.ts';

/** `scratch` is built for a comparison; `retired` and `refused` wait to be dropped; a `retired` one can serve again until `keptUntil`. */
export type GenerationState = 'live' | 'building' | 'scratch' | 'retired' | 'refused';

export interface ProcessorState {
  readonly logId: string | null;
  readonly checkpoint: Position;
  /** The last event folded or handled; null where there is none, or an older program did it. */
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
  /** Since the tables were created. */
  readonly folded: number;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Built and compared; an operator decides on the switch. */
  readonly held: boolean;
  /** An operator accepts the differences. Ignored for published history. */
  readonly acceptDifferences: boolean;
  /** When an operator paused it; independent of a pause at an event that cannot be folded. */
  readonly operatorPausedAt: number | null;
  readonly comparison: Comparison | null;
  readonly keptUntil: number | null;
  readonly speed: Speed;
}

/** How fast a generation is folded, measured over windows of a few seconds of one owner. */
export interface Speed {
  readonly ownedSince: number | null;
  /** Events of the log up to the checkpoint; null where the log cannot count. */
  readonly eventsRead: number | null;
  readonly windowSince: number | null;
  readonly windowFolded: number;
  readonly windowEventsRead: number | null;
  /** Of the last complete window: events folded per second, and events of the log passed per second. */
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
  /** Samples of differing rows, as text, a few of each kind. */
  readonly differences: readonly string[];
}

/**
 * An operator's decision, one change of the row that also ends the lease: the owner acts at once, and a frozen owner commits nothing more.
 * Building: `pause` folding, `resume`, or `cancel`, which keeps one unchanged that has served before. Held: `compare` again, or `switch`
 * once it has caught up and is equal. Building or refused: `switch-accepting` differences. Retired and kept: `switch-back` once it has
 * caught up. Retired or refused: `drop` its tables.
 */
export type Decision = 'pause' | 'resume' | 'cancel' | 'compare' | 'switch' | 'switch-accepting' | 'switch-back' | 'drop';

/** The right to fold one generation. The token grows on every takeover, and every commit checks it. */
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
  /** Events of the log up to `to`; null where the log cannot count. */
  readonly eventsRead: number | null;
  readonly last: EventMark | null;
  /** The event that the advance relies on. A log in the same database must contain it. */
  readonly proof: CountedEvent | null;
}

/** Stores generations with their checkpoints and leases. Times are milliseconds of the lease clock. */
export interface GenerationStore {
  list(): Promise<readonly Generation[]>;
  /**
   * Creates a generation with empty tables, unless one of that purpose exists. The first generation of a projection is live at once. A
   * `held` one is built and not switched to. A new rebuild ends the retention of retired generations.
   */
  create(projection: Projection, purpose: 'live' | 'building' | 'held' | 'scratch', now: number): Promise<Generation>;
  /** The row after the decision; null where its state does not allow it. */
  decide(generation: number, decision: Decision, now: number): Promise<Generation | null>;
  /** Stores the comparison of a building generation, under its lease; false when the lease is lost. */
  noteComparison(lease: Lease, comparison: Comparison): Promise<boolean>;
  /** Null when another owner holds the lease, or the generation is paused or no longer folded. */
  acquire(generation: number, owner: string, now: number, leaseMs: number): Promise<{ lease: Lease; row: Generation } | null>;
  renew(lease: Lease, leaseUntil: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /** Moves the checkpoint within the fold's transaction; false when the lease or the old checkpoint no longer matches. */
  advance(transaction: Transaction, lease: Lease, advance: Advance): Promise<boolean>;
  /** Locks the live and the building row against every commit, and reads them. */
  lockPair(transaction: Transaction, building: number): Promise<{ readonly live: Generation; readonly building: Generation } | null>;
  /** Makes the building generation live under `lockPair`; keeps the other until `keptUntil` for a switch back. */
  switchTo(transaction: Transaction, live: number, building: number, now: number, keptUntil: number): Promise<void>;
  /** Pauses at an event that cannot be folded; `resume` retries it. */
  pause(lease: Lease, reason: string, eventId: string | null): Promise<void>;
  resume(generation: number): Promise<void>;
  /** Marks a building generation that must not become live, under its lease; false when the lease is lost. */
  refuse(lease: Lease, reason: string, now: number): Promise<boolean>;
  /** Retires a generation that is no longer built. */
  abandon(generation: number, now: number): Promise<void>;
  /** Drops the tables of a retired generation; false while a reader holds them. */
  drop(generation: number, tables: readonly string[]): Promise<boolean>;
}
