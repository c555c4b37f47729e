import type { Clock } from '../src/domain/ports/clock.ts';
import type { EventLog, Position } from '../src/domain/ports/event-log.ts';
import type { Generation, GenerationState, GenerationStore } from '../src/domain/ports/generations.ts';
import { lagBehind, type LogLag, NO_LAG } from './log-lag.ts';

export interface ProjectionStatus extends LogLag {
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  readonly state: GenerationState | 'paused' | 'stopped';
  readonly folded: number;
  readonly owner: string | null;
  readonly reason: string | null;
  readonly poisonEvent: string | null;
}

export interface ListProjectionsDependencies {
  readonly generations: GenerationStore;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly leaseClock: Clock;
  /** Event types that each projection folds. */
  readonly handles: ReadonlyMap<string, readonly string[]>;
}

/** Lag and state of every generation, the live ones and those being built. */
export const listProjections = async (deps: ListProjectionsDependencies): Promise<readonly ProjectionStatus[]> => {
  const [rows, head] = await Promise.all([deps.generations.list(), deps.log.head()]);
  return Promise.all(rows.filter(({ state }) => state !== 'retired').map((row) => statusOf(deps, row, head)));
};

const statusOf = async (deps: ListProjectionsDependencies, row: Generation, head: Position): Promise<ProjectionStatus> => {
  const types = deps.handles.get(row.projection);
  const lag = types === undefined ? NO_LAG : await lagBehind(deps, row.checkpoint, head, types);
  return {
    name: row.projection,
    generation: row.generation,
    version: row.version,
    state: stateOf(row, lag.oldestPendingAt !== null, deps.leaseClock.now()),
    ...lag,
    folded: row.folded,
    owner: row.owner,
    reason: row.pausedReason,
    poisonEvent: row.pausedEvent,
  };
};

/** Stopped: there is work, and nobody holds the lease. */
const stateOf = (row: Generation, pending: boolean, now: number): ProjectionStatus['state'] => {
  if (row.state === 'refused') return 'refused';
  if (row.pausedReason !== null) return 'paused';
  if (pending && row.state === 'live' && (row.owner === null || row.leaseUntil < now)) return 'stopped';
  return row.state;
};
