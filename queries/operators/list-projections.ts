import type { Clock } from '../../domain/ports/clock.ts';
import type { EventLog, Position } from '../../domain/ports/event-log.ts';
import type { Comparison, Generation, GenerationState, GenerationStore } from '../../domain/ports/generations.ts';
import { lagBehind, type LogLag, NO_LAG } from './log-lag.ts';

/** A running window is shown once it is this old; before that the last complete one. */
const SHOWN_AFTER_MS = 3_000;
const FIRST_MS = 250;

interface FoldSpeed {
  /** Events folded in a second; null before the first window. */
  readonly rate: number | null;
  /** Events of the log passed in a second, folded or not; null where the log cannot count. */
  readonly readRate: number | null;
}

/**
 * The current rates of a generation. An overdue window is shown as it is, so that the rate falls towards zero where the owner died, the
 * generation is paused or has no events.
 */
export function speedOf({ folded, owner, operatorPausedAt, speed }: Generation, now: number): FoldSpeed {
  if (operatorPausedAt !== null) return { rate: 0, readRate: 0 };
  const elapsed = speed.windowSince === null ? 0 : now - speed.windowSince;
  const known = speed.foldRate !== null;
  if (elapsed < (known ? SHOWN_AFTER_MS : FIRST_MS)) return { rate: speed.foldRate, readRate: owner === null ? null : speed.readRate };
  const passed = speed.eventsRead === null || speed.windowEventsRead === null ? null : speed.eventsRead - speed.windowEventsRead;
  const aSecond = (count: number) => (count * 1000) / elapsed;
  return { rate: aSecond(folded - speed.windowFolded), readRate: passed === null ? null : aSecond(passed) };
}

/**
 * `paused`: at an event that cannot be folded. `operator_paused`: a rebuild that an operator stopped. `ready`: held, caught up and found
 * equal. `kept`: replaced, and to be switched back to. `stopped`: there is work, and no process holds the lease.
 */
export type ProjectionState = Exclude<GenerationState, 'retired'> | 'paused' | 'stopped' | 'operator_paused' | 'ready' | 'kept';

export interface ProjectionStatus extends LogLag {
  readonly name: string;
  readonly generation: number;
  readonly version: number;
  readonly state: ProjectionState;
  /** Whether readers are answered from it. */
  readonly serves: boolean;
  /** Whether it is a rebuild in progress, held or paused. */
  readonly rebuild: boolean;
  /** Time since which it has its state; of the lease clock, as all times here except `oldestPendingAt`. */
  readonly since: number;
  readonly checkpoint: Position;
  /** Events of the log up to the checkpoint; null where the log cannot count. */
  readonly eventsRead: number | null;
  readonly folded: number;
  /** Takeovers of the right to fold it, by any process. */
  readonly takeovers: number;
  /** Events folded per second, over the last measurement of its owner; null before the first. */
  readonly rate: number | null;
  /** Of a rebuild: events of the log that it has yet to pass, and at its rate how long; null where the log cannot count or no process folds. */
  readonly leftEvents: number | null;
  readonly leftSeconds: number | null;
  readonly owner: string | null;
  readonly ownedSince: number | null;
  readonly held: boolean;
  readonly operatorPausedAt: number | null;
  readonly keptUntil: number | null;
  readonly comparison: Comparison | null;
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

/** Lag, progress and state of every generation that serves, is built, or can be switched back to. */
export async function listProjections(deps: ListProjectionsDependencies): Promise<readonly ProjectionStatus[]> {
  const [rows, head] = await Promise.all([deps.generations.list(), deps.log.head()]);
  const now = deps.leaseClock.now();
  const shown = rows.filter(({ state, keptUntil }) => state !== 'retired' || (keptUntil ?? 0) >= now);
  return Promise.all(shown.map((row) => statusOf(deps, row, head)));
}

async function statusOf(deps: ListProjectionsDependencies, row: Generation, head: Position): Promise<ProjectionStatus> {
  const types = deps.handles.get(row.projection);
  const lag = types === undefined || row.state === 'retired' ? NO_LAG : await lagBehind(deps, row.checkpoint, head, types);
  const now = deps.leaseClock.now();
  const speed = speedOf(row, now);
  const left = row.state === 'building' ? lag.lagEvents : null;
  return {
    name: row.projection,
    generation: row.generation,
    version: row.version,
    state: stateOf(row, lag.oldestPendingAt !== null, now),
    serves: row.state === 'live',
    rebuild: row.state === 'building',
    since: row.changedAt,
    ...lag,
    checkpoint: row.checkpoint,
    eventsRead: row.speed.eventsRead,
    folded: row.folded,
    takeovers: row.token,
    rate: speed.rate,
    leftEvents: left,
    leftSeconds: left === null ? null : left === 0 ? 0 : speed.readRate === null || speed.readRate <= 0 ? null : left / speed.readRate,
    owner: row.owner,
    ownedSince: row.owner === null ? null : row.speed.ownedSince,
    held: row.held,
    operatorPausedAt: row.operatorPausedAt,
    keptUntil: row.keptUntil,
    comparison: row.comparison,
    reason: row.pausedReason,
    poisonEvent: row.pausedEvent,
  };
}

function stateOf(row: Generation, pending: boolean, now: number): ProjectionState {
  if (row.state === 'retired') return 'kept';
  if (row.state === 'refused') return 'refused';
  if (row.operatorPausedAt !== null) return 'operator_paused';
  if (row.pausedReason !== null) return 'paused';
  if (pending && row.state === 'live' && (row.owner === null || row.leaseUntil < now)) return 'stopped';
  return row.held && row.comparison?.equal === true ? 'ready' : row.state;
}
