import type { Transaction } from './database.ts';
import type { Position } from './event-log.ts';
import type { Projection } from './projection.ts';

/** `live` serves; `building` is to become live; `scratch` is built for a comparison; `retired` and `refused` wait to be dropped. */
export type GenerationState = 'live' | 'building' | 'scratch' | 'retired' | 'refused';

export interface Generation {
  readonly generation: number;
  readonly projection: string;
  readonly version: number;
  readonly state: GenerationState;
  readonly logId: string | null;
  readonly checkpoint: Position;
  /** Events folded since the tables were made. */
  readonly folded: number;
  readonly owner: string | null;
  readonly token: number;
  readonly leaseUntil: number;
  readonly pausedReason: string | null;
  readonly pausedEvent: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
}

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
  readonly leaseUntil: number;
  readonly logId: string | null;
}

/** Where generations, their checkpoints and their leases are kept. Times are milliseconds of the lease clock. */
export interface GenerationStore {
  list(): Promise<readonly Generation[]>;
  /** Makes a generation with its empty tables unless one of that purpose and version is there; the first of a projection is live at once. */
  create(projection: Projection, purpose: 'live' | 'building' | 'scratch', now: number): Promise<Generation>;
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
  /** Makes the building generation the live one and retires the other, under `lockPair`. */
  switchTo(transaction: Transaction, live: number, building: number, now: number): Promise<void>;
  pause(lease: Lease, reason: string, eventId: string | null): Promise<void>;
  resume(generation: number): Promise<void>;
  /** A generation that must not or need not be built on. */
  abandon(generation: number, state: 'retired' | 'refused', reason: string | null, now: number): Promise<void>;
  /** Drops the tables of a retired generation if no reader holds them; false when one does. */
  drop(generation: number, tables: readonly string[]): Promise<boolean>;
}
