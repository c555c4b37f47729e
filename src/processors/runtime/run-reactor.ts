import { farthestOf, lastMarkOf } from '../../../domain/read-log.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { BATCH_EVENTS, type EventLog, type LogBatch, type Position } from '../../../domain/ports/event-log.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type {
  ProcessorLease,
  ProcessorRow,
  ProcessorStore,
  Reactor,
  ReactorRunning,
} from '../../../domain/ports/reactors.ts';
import { LeaseLost, whileLeased } from '../../../plumbing/while-leased.ts';
import { applyOrPause, ProcessorPaused } from './apply-or-pause.ts';
import { ForeignLog, LogSetBack, requireHistory } from './own-log.ts';

interface ReactorRunDependencies {
  readonly log: EventLog;
  readonly store: ProcessorStore;
  readonly leaseClock: Clock;
  readonly logger: Logger;
  readonly owner: string;
  readonly leaseMs: number;
}

const TAKE_OVER_MS = 1000;
const MAX_DELAY_MS = 10_000;
/** Attempts before a reactor pauses: most failures of the services it calls are transient. */
const ATTEMPTS = 8;

/**
 * Runs a reactor until the signal aborts, in one process at a time. Another process takes over from a dead owner within
 * seconds.
 */
export async function runReactor(deps: ReactorRunDependencies, reactor: Reactor, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      const row = await deps.store.acquireReactor(reactor.name, deps.owner, deps.leaseClock.now(), deps.leaseMs);
      if (row !== null) {
        const lease = { name: reactor.name, owner: deps.owner, token: row.token };
        const renew = (leaseUntil: number) => deps.store.renew(lease, leaseUntil);
        const lifetime = {
          clock: deps.leaseClock,
          leaseMs: deps.leaseMs,
          renew,
          release: () => deps.store.release(lease),
        };
        await whileLeased(lifetime, stopping, (signal) => follow(deps, reactor, row, lease, signal));
      }
    } catch (error) {
      if (stopping.aborted) return;
      if (!(error instanceof LeaseLost || error instanceof ProcessorPaused))
        deps.logger.warn({ reactor: reactor.name, error: (error as Error).message }, 'reactor interrupted');
    }
    await deps.leaseClock.sleep(TAKE_OVER_MS, stopping).catch(() => undefined);
  }
}

async function follow(
  deps: ReactorRunDependencies,
  reactor: Reactor,
  row: ProcessorRow,
  lease: ProcessorLease,
  signal: AbortSignal,
): Promise<void> {
  const logId = await deps.log.identity();
  const pause = (reason: string, eventId: string | null) => deps.store.pause(lease, reason, eventId);
  await requireHistory({ what: `reactor ${reactor.name}`, ...row }, deps.log, logId).catch(async (error: unknown) => {
    if (!(error instanceof ForeignLog || error instanceof LogSetBack)) throw error;
    await pause(error.message, null);
    throw new ProcessorPaused(error.message);
  });
  const running: ReactorRunning = {
    signal,
    confirm: async () => {
      if (!(await deps.store.renew(lease, deps.leaseClock.now() + deps.leaseMs))) throw leaseLost(reactor);
    },
  };
  const handle = reactor.begin();
  const apply = async (from: Position, batch: LogBatch): Promise<void> => {
    const { events, scannedTo: to } = batch;
    if (events.length > 0 || to === from) await handle(events, running);
    if (to === from) return;
    const move = {
      from,
      to,
      handled: events.length,
      logId,
      last: lastMarkOf(events),
      proof: farthestOf(deps.log, batch),
    };
    if (!(await deps.store.advance(lease, move))) throw leaseLost(reactor);
  };
  const processor = { name: reactor.name, apply, pause, attempts: ATTEMPTS, maxDelayMs: MAX_DELAY_MS };
  let from = row.checkpoint;
  try {
    if (reactor.runsOnStart === true)
      await applyOrPause(deps, processor, from, { events: [], scannedTo: from }, signal);
    for await (const batch of deps.log.subscribe({
      after: from,
      batchSize: BATCH_EVENTS,
      types: reactor.follows,
      signal,
    })) {
      from = await applyOrPause(deps, processor, from, batch, signal);
    }
  } finally {
    await reactor.end?.();
  }
}

const leaseLost = ({ name }: Reactor): LeaseLost => new LeaseLost(`the reactor ${name} is run by another process`);
