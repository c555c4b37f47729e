import type { Clock } from '../src/domain/ports/clock.ts';
import type { EventLog, Position } from '../src/domain/ports/event-log.ts';
import type { Generation, GenerationState, GenerationStore } from '../src/domain/ports/generations.ts';

export interface ProjectionStatus {
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  readonly state: GenerationState | 'paused' | 'stopped';
  /** Events between the checkpoint and the log's head; null where the log cannot count. */
  readonly lagEvents: number | null;
  /** Age of the oldest event still to be folded, in seconds; 0 when there is none. */
  readonly lagSeconds: number;
  readonly oldestPendingAt: number | null;
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
  const behind = row.checkpoint < head && types !== undefined;
  const pending = behind ? (await deps.log.readAll({ after: row.checkpoint, limit: 1, types })).events[0] : undefined;
  return {
    name: row.projection,
    generation: row.generation,
    version: row.version,
    state: stateOf(row, pending !== undefined, deps.leaseClock.now()),
    lagEvents: pending === undefined ? 0 : deps.log.distance(row.checkpoint, head),
    lagSeconds: pending === undefined ? 0 : Math.max(0, (deps.clock.now() - pending.time) / 1000),
    oldestPendingAt: pending?.time ?? null,
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
