import type { Clock } from '../../domain/ports/clock.ts';
import { type EventLog, LOG_START, type Position } from '../../domain/ports/event-log.ts';
import type { Generation, GenerationState, GenerationStore } from '../../domain/ports/generations.ts';
import type { ProcessorRow, ProcessorStore } from '../../domain/ports/reactors.ts';
import { isLeased } from '../../plumbing/while-leased.ts';

/**
 * Lag between the checkpoint and the head. `lagSeconds` and `oldestPendingAt` refer to the oldest event after the
 * checkpoint.
 */
interface LogLag {
  /** Null if the log cannot count. */
  readonly lagEvents: number | null;
  readonly lagSeconds: number;
  readonly oldestPendingAt: number | null;
}

const NO_LAG: LogLag = { lagEvents: 0, lagSeconds: 0, oldestPendingAt: null };

/** Measures the lag of a follower. Only events of its types count. */
async function measureLag(
  { log, clock }: LagDependencies,
  checkpoint: Position,
  head: Position,
  types: readonly string[],
): Promise<LogLag> {
  const pending = checkpoint < head ? (await log.readAll({ after: checkpoint, limit: 1, types })).events[0] : undefined;
  if (pending === undefined) return NO_LAG;
  const lagSeconds = Math.max(0, (clock.now() - pending.time) / 1000);
  return { lagEvents: log.distance(checkpoint, head), lagSeconds, oldestPendingAt: pending.time };
}

/** Age from which the running window is shown instead of the last complete one. */
const SHOWN_AFTER_MS = 3_000;
const FIRST_MS = 250;

/**
 * Returns the events per second that a generation folds and the events of the log that it reads. Null before the first
 * window, and if the log cannot count. The rate of an overdue window falls toward zero if the owner has died or there
 * are no events.
 */
export function speedOf({ folded, owner, operatorPausedAt, speed }: Generation, now: number) {
  if (operatorPausedAt !== null) return { rate: 0, readRate: 0 };
  const elapsed = speed.windowSince === null ? 0 : now - speed.windowSince;
  const isMeasured = speed.foldRate !== null;
  if (elapsed < (isMeasured ? SHOWN_AFTER_MS : FIRST_MS))
    return { rate: speed.foldRate, readRate: owner === null ? null : speed.readRate };
  const passed =
    speed.eventsRead === null || speed.windowEventsRead === null ? null : speed.eventsRead - speed.windowEventsRead;
  const aSecond = (count: number) => (count * 1000) / elapsed;
  return { rate: aSecond(folded - speed.windowFolded), readRate: passed === null ? null : aSecond(passed) };
}

/**
 * `paused`: stopped at an event that cannot be folded. `operator_paused`: a rebuild that an operator paused. `ready`:
 * waits for the operator's switch, caught up and equal. `kept`: replaced, but a switch back is possible. `stopped`: there is work, but no process
 * has the lease.
 */
type ProjectionState =
  | Exclude<GenerationState, 'retired'>
  | 'paused'
  | 'stopped'
  | 'operator_paused'
  | 'ready'
  | 'kept';

interface LagDependencies {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly leaseClock: Clock;
}

export interface ListProjectionsDependencies extends LagDependencies {
  readonly generations: GenerationStore;
  readonly handles: ReadonlyMap<string, readonly string[]>;
}

export async function listProjections(deps: ListProjectionsDependencies): Promise<readonly ProjectionStatus[]> {
  const [rows, head] = await Promise.all([deps.generations.list(), deps.log.head()]);
  const now = deps.leaseClock.now();
  const listed = rows.filter(({ state, keptUntil }) => state !== 'retired' || (keptUntil ?? 0) >= now);
  return Promise.all(listed.map((row) => projectionStatus(deps, row, head)));
}

/** Returns the seconds to read a number of events at a rate per second; null if the rate is unknown. */
function estimateSeconds(events: number, rate: number | null): number | null {
  if (events === 0) return 0;
  return rate === null || rate <= 0 ? null : events / rate;
}

async function projectionStatus(deps: ListProjectionsDependencies, row: Generation, head: Position) {
  const types = deps.handles.get(row.projection);
  const lag =
    types === undefined || row.state === 'retired' ? NO_LAG : await measureLag(deps, row.checkpoint, head, types);
  const now = deps.leaseClock.now();
  const speed = speedOf(row, now);
  const leftEvents = row.state === 'building' ? lag.lagEvents : null;
  return {
    name: row.projection,
    generation: row.generation,
    version: row.version,
    state: stateOf(row, lag.oldestPendingAt !== null, now),
    serves: row.state === 'live',
    rebuild: row.state === 'building',
    /** Time when the state last changed. Lease clock, like all times here except `oldestPendingAt`. */
    since: row.changedAt,
    ...lag,
    checkpoint: row.checkpoint,
    /** Events of the log up to the checkpoint; null if the log cannot count. */
    eventsRead: row.speed.eventsRead,
    folded: row.folded,
    takeovers: row.token,
    rate: speed.rate,
    /** Remaining events of a rebuild; null if the log cannot count or no process folds. */
    leftEvents,
    leftSeconds: leftEvents === null ? null : estimateSeconds(leftEvents, speed.readRate),
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

export type ProjectionStatus = Readonly<Awaited<ReturnType<typeof projectionStatus>>>;

function stateOf(row: Generation, pending: boolean, now: number): ProjectionState {
  if (row.state === 'retired') return 'kept';
  if (row.state === 'refused') return 'refused';
  if (row.operatorPausedAt !== null) return 'operator_paused';
  if (row.pausedReason !== null) return 'paused';
  if (pending && row.state === 'live' && !isLeased(row, now)) return 'stopped';
  return row.held && row.comparison?.equal === true ? 'ready' : row.state;
}

export interface ListReactorsDependencies extends LagDependencies {
  readonly processorStore: Pick<ProcessorStore, 'listReactors'>;
  readonly follows: ReadonlyMap<string, readonly string[]>;
}

export async function listReactors(deps: ListReactorsDependencies): Promise<readonly ReactorStatus[]> {
  const [rows, head] = await Promise.all([deps.processorStore.listReactors(), deps.log.head()]);
  const rowOf = (name: string) => rows.find((row) => row.name === name);
  return Promise.all([...deps.follows].map(([name, types]) => reactorStatus(deps, name, rowOf(name), types, head)));
}

async function reactorStatus(
  deps: ListReactorsDependencies,
  name: string,
  row: ProcessorRow | undefined,
  types: readonly string[],
  head: Position,
) {
  const lag = await measureLag(deps, row?.checkpoint ?? LOG_START, head, types);
  const reason = row?.pausedReason ?? null;
  const isOwned = row !== undefined && isLeased(row, deps.leaseClock.now());
  const state: 'live' | 'paused' | 'stopped' =
    reason !== null ? 'paused' : lag.oldestPendingAt !== null && !isOwned ? 'stopped' : 'live';
  return {
    name,
    state,
    ...lag,
    handled: row?.handled ?? 0,
    takeovers: row?.token ?? 0,
    owner: row?.owner ?? null,
    reason,
    poisonEvent: row?.pausedEvent ?? null,
  };
}

export type ReactorStatus = Readonly<Awaited<ReturnType<typeof reactorStatus>>>;
