import type { StoredEvent } from './event-log.ts';
import type { Advance, ProcessorState } from './generations.ts';

/** A processor that reads the log and issues commands. A batch can be handled more than once. */
export interface Reactor {
  readonly name: string;
  readonly follows: readonly string[];
  /**
   * Called for each acquired lease. State must stay in the returned handler, because another process might run in
   * between.
   */
  begin(): BatchHandler;
  /** If true, the first batch is empty, because the target might have changed without an event. */
  readonly runsOnStart?: boolean;
  /** Called when the lease ends. Never throws. */
  end?(): Promise<void>;
}

export type BatchHandler = (batch: readonly StoredEvent[], running: ReactorRunning) => Promise<void>;

export interface ReactorRunning {
  readonly signal: AbortSignal;
  /** Must be awaited right before each write. Throws if another owner has the lease. */
  readonly confirm: () => Promise<void>;
}

/** A condition is not met yet but will be met without intervention. Not a failure of the reactor. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

export interface ProcessorRow extends ProcessorState {
  readonly name: string;
  readonly handled: number;
}

/** Exclusive right to run a reactor, or a job once. The token grows with every lease. */
export interface ProcessorLease {
  readonly name: string;
  readonly owner: string;
  readonly token: number;
}

/** A job that is due and that no process runs. */
export interface DueJob {
  readonly name: string;
  /** True if no run of the job has ended yet. */
  readonly isFirst: boolean;
}

/**
 * Stores the leases of reactors and jobs, and the checkpoints of reactors. Times are milliseconds of the lease clock.
 */
export interface ProcessorStore {
  listReactors(): Promise<readonly ProcessorRow[]>;
  /** Returns null if another owner runs it or it is paused. */
  acquireReactor(name: string, owner: string, now: number, leaseMs: number): Promise<ProcessorRow | null>;
  /** Returns null if another owner runs it or it is not due. `everyMs` is the time between two runs in milliseconds. */
  acquireJob(
    job: { readonly name: string; readonly everyMs: number },
    owner: string,
    now: number,
    leaseMs: number,
  ): Promise<ProcessorLease | null>;
  /** Returns those of the jobs that `acquireJob` would acquire, the most overdue first. */
  listDueJobs(names: readonly string[], everyMs: number, now: number): Promise<readonly DueJob[]>;
  renew(lease: ProcessorLease, leaseUntil: number): Promise<boolean>;
  /** Returns false if the lease or the old checkpoint no longer matches, or if the log has lost the handled events. */
  advance(
    lease: ProcessorLease,
    move: Pick<Advance, 'from' | 'to' | 'logId' | 'last' | 'proof'> & { readonly handled: number },
  ): Promise<boolean>;
  /** Ends the lease of a reactor. No effect if another owner has it. */
  release(lease: ProcessorLease): Promise<void>;
  /** Ends the lease of a job, which runs next at `dueAt`. */
  endJob(lease: ProcessorLease, dueAt: number): Promise<void>;
  /** Makes jobs that no process runs due at `now`. */
  hastenJobs(names: readonly string[], now: number): Promise<void>;
  pause(lease: ProcessorLease, reason: string, eventId: string | null): Promise<void>;
  resume(name: string): Promise<void>;
}
