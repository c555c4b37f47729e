import type { Transaction } from './database.ts';
import type { CountedEvent, EventMark } from '../event-mark.ts';
import type { Position } from './event-log.ts';
import type { Projection } from './projection.ts';

/**
 * `live` serves; `building` is to become live; `scratch` is built for a comparison; `retired` and `refused` wait to be dropped, a
 * `retired` one that is kept until a time may be built on again.
 */
export type GenerationState = 'live' | 'building' | 'scratch' | 'retired' | 'refused';

export interface Generation {
  readonly generation: number;
  readonly projection: string;
  readonly version: number;
  readonly state: GenerationState;
  readonly logId: string | null;
  readonly checkpoint: Position;
  /** The last event that was folded; null where there is none, or an older program folded it. */
  readonly lastEvent: EventMark | null;
  /** Events folded since the tables were made. */
  readonly folded: number;
  readonly owner: string | null;
  readonly token: number;
  readonly leaseUntil: number;
  readonly pausedReason: string | null;
  readonly pausedEvent: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Built and compared, and switched to only when an operator says so. */
  readonly held: boolean;
  /** An operator has seen what differs and wants it to serve all the same; never heeded for what was published. */
  readonly acceptDifferences: boolean;
  /** When an operator paused it; apart from a pause at an event that cannot be folded. */
  readonly operatorPausedAt: number | null;
  /** How it compared with the live one, where that was looked at. */
  readonly comparison: Comparison | null;
  /** Until when a retired generation can be switched back to. */
  readonly keptUntil: number | null;
  readonly speed: Speed;
}

/** How fast a generation is folded. A stretch is some seconds of one owner's work. */
export interface Speed {
  readonly ownedSince: number | null;
  /** Events of the log up to the checkpoint; null where the log cannot count. */
  readonly place: number | null;
  /** Where the stretch that is running began. */
  readonly stretchAt: number | null;
  readonly stretchFolded: number;
  readonly stretchPlace: number | null;
  /** Of the last whole stretch: events folded in a second, and events of the log passed in a second. */
  readonly foldRate: number | null;
  readonly pace: number | null;
}

/** Rows and content of one table, live and rebuilt, at one checkpoint. */
export interface TableComparison {
  readonly table: string;
  readonly live: { readonly rows: number; readonly digest: string };
  readonly rebuilt: { readonly rows: number; readonly digest: string };
}

/** A rebuilt generation beside the live one, at one checkpoint and one moment. */
export interface Comparison {
  readonly at: number;
  readonly checkpoint: Position;
  /** Number of the live generation that it was compared with. */
  readonly live: number;
  readonly equal: boolean;
  readonly tables: readonly TableComparison[];
  /** Rows that differ, as text, a few of each kind. */
  readonly differences: readonly string[];
}

/**
 * What an operator may decide about a generation. Each is one change of its row that also takes the lease from whoever folds it, so that
 * an owner acts on it at once, and a frozen one commits nothing any more.
 */
export type Decision =
  /** Of a building one: stop folding, and go on. */
  | 'pause'
  | 'resume'
  /** Of a building one: give it up. One that had served before is kept as it was. */
  | 'cancel'
  /** Of a held one: look again. */
  | 'compare'
  /** Of a held one: switch to it once it has caught up and is equal. */
  | 'switch'
  /** Of a building or refused one: switch to it although it differs. */
  | 'switch-accepting'
  /** Of one that is kept: catch up and switch to it. */
  | 'switch-back'
  /** Of one that is kept or was refused: let its tables go now. */
  | 'drop';

/** The right to fold one generation: the token grows on every takeover and is checked by every commit. */
export interface Lease {
  readonly generation: number;
  readonly owner: string;
  readonly token: number;
}

export interface Advance {
  readonly from: Position;
  readonly to: Position;
  readonly folded: number;
  /** Time of the commit, and the lease from then on. */
  readonly now: number;
  readonly leaseUntil: number;
  readonly logId: string | null;
  /** Events of the log up to `to`; null where the log cannot count. */
  readonly place: number | null;
  /** The last event that is folded, where there is one. */
  readonly last: EventMark | null;
  /** What the advance rests on: a log in this very database must have it. */
  readonly proof: CountedEvent | null;
}

/** Where generations, their checkpoints and their leases are kept. Times are milliseconds of the lease clock. */
export interface GenerationStore {
  list(): Promise<readonly Generation[]>;
  /**
   * Makes a generation with its empty tables unless one of that purpose is there; the first of a projection is live at once. A `held` one is
   * built and not switched to; with the next rebuild, what an earlier one left to switch back to is given up.
   */
  create(projection: Projection, purpose: 'live' | 'building' | 'held' | 'scratch', now: number): Promise<Generation>;
  /** The row as decided, or null where it is not (or no longer) in a state in which that can be decided. */
  decide(generation: number, decision: Decision, now: number): Promise<Generation | null>;
  /** Notes how a building generation compared, under its lease; false when that was lost. */
  noteComparison(lease: Lease, comparison: Comparison): Promise<boolean>;
  /** Null when somebody else holds it, it is paused, or it is no longer to be folded. */
  acquire(
    generation: number,
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<{ readonly lease: Lease; readonly row: Generation } | null>;
  renew(lease: Lease, leaseUntil: number): Promise<boolean>;
  release(lease: Lease): Promise<void>;
  /** Moves the checkpoint inside the fold's transaction; false when the lease or the old checkpoint no longer holds. */
  advance(transaction: Transaction, lease: Lease, advance: Advance): Promise<boolean>;
  /** Locks the live and the building row against every commit and reads them. */
  lockPair(transaction: Transaction, building: number): Promise<{ readonly live: Generation; readonly building: Generation } | null>;
  /** Makes the building generation the live one and retires the other, under `lockPair`; that one is kept until a time to switch back to. */
  switchTo(transaction: Transaction, live: number, building: number, now: number, keptUntil: number): Promise<void>;
  /** Pauses at an event that cannot be folded, and lets it be tried again. */
  pause(lease: Lease, reason: string, eventId: string | null): Promise<void>;
  resume(generation: number): Promise<void>;
  /** A building generation that must not become live, under its lease; false when that was lost. */
  refuse(lease: Lease, reason: string, now: number): Promise<boolean>;
  /** A generation that need not be built on. */
  abandon(generation: number, now: number): Promise<void>;
  /** Drops the tables of a retired generation if no reader holds them; false when one does. */
  drop(generation: number, tables: readonly string[]): Promise<boolean>;
}
