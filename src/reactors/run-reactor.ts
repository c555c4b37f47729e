import type { Clock } from '../domain/ports/clock.ts';
import { type EventLog, LOG_START } from '../domain/ports/event-log.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { Reactor, ReactorLease, ReactorRow, ReactorStore } from '../domain/ports/reactors.ts';
import { LeaseLost, whileLeased } from '../domain/while-leased.ts';

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
  const logId = (await deps.log.readAll({ after: LOG_START, limit: 1 })).events[0]?.id ?? null;
  if (row.logId !== null && row.logId !== logId) throw new Error(`the reactor ${reactor.name} has followed another log (${row.logId})`);
  let from = row.checkpoint;
  for await (const batch of deps.log.subscribe({ after: from, batchSize: BATCH, types: reactor.follows, signal })) {
    if (batch.events.length > 0) await handlePatiently(deps, reactor, lease, batch.events, signal);
    const moved = await deps.store.advance(lease, { from, to: batch.scannedTo, handled: batch.events.length, logId });
    if (!moved) throw new LeaseLost(`the reactor ${reactor.name} is run by somebody else`);
    from = batch.scannedTo;
  }
};

/** Tries again for a while, since most failures pass; then pauses the reactor at the batch, for an operator to look at. */
const handlePatiently = async (
  deps: ReactorRunDependencies,
  reactor: Reactor,
  lease: ReactorLease,
  events: Parameters<Reactor['handle']>[0],
  signal: AbortSignal,
): Promise<void> => {
  for (let attempt = 1, pause = FIRST_PAUSE_MS; ; attempt++, pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
    try {
      await reactor.handle(events, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      const reason = (error as Error).message;
      if (attempt === ATTEMPTS) {
        await deps.store.pause(lease, reason, events[0]!.id);
        deps.logger.error({ reactor: reactor.name, eventId: events[0]!.id, reason }, 'reactor paused');
        throw new LeaseLost('paused');
      }
      deps.logger.warn({ reactor: reactor.name, attempt, reason }, 'a batch could not be handled yet');
      await deps.leaseClock.sleep(pause, signal);
    }
  }
};
