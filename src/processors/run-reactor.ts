import { farthestOf, hasEvent, lastMarkOf } from '../../domain/event-mark.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { DatabaseUnavailable, DeadlineExceeded } from '../../domain/ports/database.ts';
import { type EventLog, LogUnavailable, OutcomeUnknown, type StoredEvent } from '../../domain/ports/event-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import {
  type BatchHandler,
  NotYet,
  type Reactor,
  type ReactorLease,
  type ReactorRow,
  type ReactorRunning,
  type ReactorStore,
} from '../../domain/ports/reactors.ts';
import { LeaseLost, whileLeased } from '../../domain/while-leased.ts';

export interface ReactorRunDependencies {
  readonly log: EventLog;
  readonly store: ReactorStore;
  readonly leaseClock: Clock;
  readonly logger: Logger;
  readonly owner: string;
  readonly leaseMs: number;
}

const BATCH = 500;
const TAKE_OVER_MS = 1000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const ATTEMPTS = 8;

/** Runs a reactor, alone among all processes, until the signal aborts; what an owner left behind is taken over in seconds. */
export const runReactor = async (deps: ReactorRunDependencies, reactor: Reactor, stopping: AbortSignal): Promise<void> => {
  while (!stopping.aborted) {
    try {
      const row = await deps.store.acquire(reactor.name, deps.owner, deps.leaseClock.now(), deps.leaseMs);
      if (row !== null) {
        const lease = { name: reactor.name, owner: deps.owner, token: row.token };
        const held = {
          clock: deps.leaseClock,
          leaseMs: deps.leaseMs,
          renew: (leaseUntil: number) => deps.store.renew(lease, leaseUntil),
          release: () => deps.store.release(lease),
        };
        await whileLeased(held, stopping, (signal) => follow(deps, reactor, row, lease, signal));
      }
    } catch (error) {
      if (stopping.aborted) return;
      if (!(error instanceof LeaseLost))
        deps.logger.warn({ reactor: reactor.name, error: (error as Error).message }, 'reactor interrupted');
    }
    await deps.leaseClock.sleep(TAKE_OVER_MS, stopping).catch(() => undefined);
  }
};

const follow = async (
  deps: ReactorRunDependencies,
  reactor: Reactor,
  row: ReactorRow,
  lease: ReactorLease,
  signal: AbortSignal,
): Promise<void> => {
  const logId = await deps.log.identity();
  if (row.logId !== null && row.logId !== logId) {
    await deps.store.pause(lease, `it has followed another log (${row.logId}), whose positions mean nothing in this one`, null);
    throw new LeaseLost('paused');
  }
  if (row.lastEvent !== null && !(await hasEvent(deps.log, row.lastEvent))) {
    const { id, position } = row.lastEvent;
    await deps.store.pause(lease, `the log does not have event ${id} at ${position}, which was handled: it was set back`, null);
    throw new LeaseLost('paused');
  }
  const running: ReactorRunning = {
    signal,
    confirm: async () => {
      if (!(await deps.store.renew(lease, deps.leaseClock.now() + deps.leaseMs))) throw lost(reactor);
    },
  };
  const run: Run = { reactor, lease, handle: reactor.begin(), running };
  try {
    if (reactor.runsOnStart === true) await handlePatiently(deps, run, []);
    let from = row.checkpoint;
    for await (const batch of deps.log.subscribe({ after: from, batchSize: BATCH, types: reactor.follows, signal })) {
      if (batch.events.length > 0) await handlePatiently(deps, run, batch.events);
      const { events, scannedTo: to } = batch;
      const move = { from, to, handled: events.length, logId, last: lastMarkOf(events), proof: farthestOf(deps.log, batch) };
      const moved = await deps.store.advance(lease, move);
      if (!moved) throw lost(reactor);
      from = batch.scannedTo;
    }
  } finally {
    await reactor.end?.();
  }
};

const lost = ({ name }: Reactor): LeaseLost => new LeaseLost(`the reactor ${name} is run by another process`);

interface Run {
  readonly reactor: Reactor;
  readonly lease: ReactorLease;
  readonly handle: BatchHandler;
  readonly running: ReactorRunning;
}

/** A transient failure: the reactor waits, since an operator could do no more. */
const passes = (error: unknown): boolean =>
  [NotYet, DatabaseUnavailable, DeadlineExceeded, LogUnavailable, OutcomeUnknown].some((kind) => error instanceof kind);

/** Tries again for a while, since most failures pass; then pauses the reactor, for an operator to look at. */
const handlePatiently = async (deps: ReactorRunDependencies, run: Run, events: readonly StoredEvent[]): Promise<void> => {
  const { reactor, lease, handle, running } = run;
  for (let failures = 0, pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    // At last one by one, so that the reason names the event and not its batch.
    const portions = failures < ATTEMPTS - 1 || events.length === 0 ? [events] : events.map((event) => [event]);
    let portion = events;
    try {
      for (portion of portions) await handle(portion, running);
      return;
    } catch (error) {
      running.signal.throwIfAborted();
      if (error instanceof LeaseLost) throw error;
      const reason = (error as Error).message;
      if (!passes(error)) failures += 1;
      if (failures === ATTEMPTS) {
        const eventId = portion[0]?.id ?? null;
        await deps.store.pause(lease, reason, eventId);
        deps.logger.error({ reactor: reactor.name, eventId, reason }, 'reactor paused');
        throw new LeaseLost('paused');
      }
      deps.logger.warn({ reactor: reactor.name, failures, reason }, 'a batch could not be handled yet');
      await deps.leaseClock.sleep(pause, running.signal);
    }
  }
};
