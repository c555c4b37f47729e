import type { Clock } from '../../domain/ports/clock.ts';
import { type EventLog, LOG_START, type Position } from '../../domain/ports/event-log.ts';
import type { ProcessorRow, ProcessorStore } from '../../domain/ports/reactors.ts';
import { lagBehind, type LogLag } from './log-lag.ts';

export interface ReactorStatus extends LogLag {
  readonly name: string;
  /** Stopped: there is work, and no process holds the lease. */
  readonly state: 'live' | 'paused' | 'stopped';
  readonly handled: number;
  /** Takeovers of the right to run it, by any process. */
  readonly takeovers: number;
  readonly owner: string | null;
  readonly reason: string | null;
  readonly poisonEvent: string | null;
}

export interface ListReactorsDependencies {
  readonly processorStore: Pick<ProcessorStore, 'listReactors'>;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly leaseClock: Clock;
  /** Event types that each reactor follows. */
  readonly follows: ReadonlyMap<string, readonly string[]>;
}

/** Lag and state of every reactor, those that never ran included. */
export async function listReactors(deps: ListReactorsDependencies): Promise<readonly ReactorStatus[]> {
  const [rows, head] = await Promise.all([deps.processorStore.listReactors(), deps.log.head()]);
  return Promise.all(
    [...deps.follows].map(([name, types]) => statusOf(deps, rows.find((row) => row.name === name) ?? never(name), types, head)),
  );
}

const never = (name: string): ProcessorRow => ({
  name,
  logId: null,
  checkpoint: LOG_START,
  lastEvent: null,
  handled: 0,
  owner: null,
  token: 0,
  leaseUntil: 0,
  pausedReason: null,
  pausedEvent: null,
});

async function statusOf(
  deps: ListReactorsDependencies,
  row: ProcessorRow,
  types: readonly string[],
  head: Position,
): Promise<ReactorStatus> {
  const lag = await lagBehind(deps, row.checkpoint, head, types);
  const unowned = row.owner === null || row.leaseUntil < deps.leaseClock.now();
  return {
    name: row.name,
    state: row.pausedReason !== null ? 'paused' : lag.oldestPendingAt !== null && unowned ? 'stopped' : 'live',
    ...lag,
    handled: row.handled,
    takeovers: row.token,
    owner: row.owner,
    reason: row.pausedReason,
    poisonEvent: row.pausedEvent,
  };
}
