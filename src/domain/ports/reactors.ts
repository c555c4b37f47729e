import type { CountedEvent, EventMark } from '../event-mark.ts';
import type { Position, StoredEvent } from './event-log.ts';

/** What follows from events by itself: it reads the log and issues commands. A batch may be handled more than once. */
export interface Reactor {
  readonly name: string;
  /** Event types followed. */
  readonly follows: readonly string[];
  /** Called each time this process begins to run it. What is remembered between batches belongs here: another may have run it meanwhile. */
  begin(): BatchHandler;
  /** It begins with a batch of no events: what it writes to may have changed by itself. */
  readonly looksFirst?: boolean;
  /** This process runs it no longer. Never throws. */
  end?(): Promise<void>;
}

export type BatchHandler = (batch: readonly StoredEvent[], running: ReactorRunning) => Promise<void>;

export interface ReactorRunning {
  readonly signal: AbortSignal;
  /** To be awaited right before anything is written: throws when the lease has gone to somebody else, whose work is newer. */
  readonly confirm: () => Promise<void>;
}

/** What is waited for comes about by itself: no failure of the reactor, however long it takes. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

export interface ReactorRow {
  readonly name: string;
  readonly logId: string | null;
  readonly checkpoint: Position;
  /** The last event that was handled; null where there is none, or an older program handled it. */
  readonly lastEvent: EventMark | null;
  readonly handled: number;
  readonly owner: string | null;
  readonly token: number;
  readonly leaseUntil: number;
  readonly pausedReason: string | null;
  readonly pausedEvent: string | null;
}

export interface ReactorLease {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
}

/** Where checkpoints and leases of reactors are kept. Times are milliseconds of the lease clock. */
export interface ReactorStore {
  list(): Promise<readonly ReactorRow[]>;
  /** Null when somebody else runs it or it is paused. */
  acquire(name: string, owner: string, now: number, leaseMs: number): Promise<ReactorRow | null>;
  renew(lease: ReactorLease, leaseUntil: number): Promise<boolean>;
  /** False when the lease or the old checkpoint no longer holds, or the log has lost what was handled. */
  advance(
    lease: ReactorLease,
    move: {
      readonly from: Position;
      readonly to: Position;
      readonly handled: number;
      readonly logId: string | null;
      readonly last: EventMark | null;
      /** What the move rests on: a log in this very database must have it. */
      readonly proof: CountedEvent | null;
    },
  ): Promise<boolean>;
  release(lease: ReactorLease): Promise<void>;
  pause(lease: ReactorLease, reason: string, eventId: string | null): Promise<void>;
  resume(name: string): Promise<void>;
}
