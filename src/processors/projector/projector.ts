import { DAY_MS } from '../../../domain/durations.ts';
import type { Generation, Lease } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { isLeased, LeaseLost } from '../../../plumbing/while-leased.ts';
import { ProcessorPaused } from '../runtime/apply-or-pause.ts';
import { buildGeneration } from './build-generation.ts';
import { foldOrPause, foldTarget, type ProjectorDependencies, underLease } from './fold-batch.ts';
import { LogSetBack, requireHistory } from '../runtime/own-log.ts';

const TICK_MS = 500;
const RETIRED_GRACE_MS = 30_000;
const REFUSED_GRACE_MS = DAY_MS;

export interface Projector {
  /** Looks for generations to fold now instead of at the next tick. */
  nudge(): void;
  /** Stops between two batches and releases the leases. */
  stop(): Promise<void>;
}

/**
 * Folds the generations of every projection whose lease is free. Several projectors may run on one database: a lease
 * has one owner at a time, and another process takes over within seconds of its expiry. States of a generation:
 *
 * - building: `buildGeneration` fills it from the start of the log. It becomes live or refused, or waits for an
 *   operator to switch.
 * - live: readers use it. It follows the log in its own loop and with its own transactions, so a slow projection
 *   delays no other.
 * - paused: an event could not be folded. It has no owner until an operator retries or skips the event.
 * - retired: replaced by a switch; its tables are dropped after a grace period.
 * - refused: differs from the live one; its tables are dropped after a day.
 * - scratch: created for one comparison; its tables are dropped when its lease has expired.
 */
export function startProjector(deps: ProjectorDependencies, projections: readonly Projection[]): Projector {
  const stopping = new AbortController();
  const running = new Map<number, Promise<void>>();
  let wake = new AbortController();

  const runIfAcquired = async (projection: Projection, candidate: Generation) => {
    // A generation of another version has tables that this program cannot fill.
    if (candidate.version !== projection.version || running.has(candidate.generation)) return;
    const acquired = await deps.generations.acquire(
      candidate.generation,
      deps.owner,
      deps.leaseClock.now(),
      deps.leaseMs,
    );
    if (acquired === null) return;
    deps.logger.debug(
      { projection: projection.name, generation: candidate.generation, token: acquired.lease.token },
      'projection owned',
    );
    const run = underLease(deps, acquired.lease, stopping.signal, (signal) =>
      runGeneration(deps, projection, acquired.row, acquired.lease, signal),
    )
      .catch((error: unknown) => {
        if (error instanceof LeaseLost || error instanceof ProcessorPaused || stopping.signal.aborted) return;
        deps.logger.error({ projection: projection.name, error: (error as Error).message }, 'projection stopped');
      })
      .finally(() => running.delete(candidate.generation));
    running.set(candidate.generation, run);
  };

  /**
   * Builds this version unless it was refused: a second build would be refused too. Operators can still request a
   * rebuild.
   */
  const replaceOlder = async (projection: Projection, rows: readonly Generation[], now: number) => {
    if (rows.some(({ state, version }) => state === 'refused' && version === projection.version)) return;
    const building = rows.find(({ state }) => state === 'building');
    // The rows might be stale: the build might have become the live generation.
    if (building !== undefined && building.version >= projection.version) return;
    if (building !== undefined) await deps.generations.abandon(building.generation, now);
    await runIfAcquired(projection, await deps.generations.create(projection, 'building', now));
  };

  const dropIfDone = async (projection: Projection, row: Generation, now: number) => {
    if (!isDone(row, now)) return;
    const { generation } = row;
    if (await deps.generations.drop(generation, projection.tables(generation)))
      deps.logger.debug({ projection: projection.name, generation }, 'tables of a retired generation dropped');
  };

  const tick = async () => {
    const now = deps.leaseClock.now();
    const rows = await deps.generations.list();
    for (const projection of projections) {
      const generations = rows.filter((row) => row.projection === projection.name);
      const live = generations.find(({ state }) => state === 'live');
      if (live === undefined) await runIfAcquired(projection, await deps.generations.create(projection, 'live', now));
      else if (live.version < projection.version) await replaceOlder(projection, generations, now);
      for (const row of generations) {
        if (isFree(row, now)) await runIfAcquired(projection, row);
        await dropIfDone(projection, row, now);
      }
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      try {
        await tick();
      } catch (error) {
        if (!stopping.signal.aborted)
          deps.logger.warn({ error: (error as Error).message }, 'the projector could not read the generations');
      }
      const until = AbortSignal.any([stopping.signal, wake.signal]);
      await deps.leaseClock.sleep(TICK_MS, until).catch(() => undefined);
      if (wake.signal.aborted) wake = new AbortController();
    }
  };
  const looping = loop();

  return {
    nudge: () => wake.abort(),
    async stop() {
      stopping.abort(new LeaseLost('stopping'));
      await looping;
      await Promise.all(running.values());
    },
  };
}

const isFree = (row: Generation, now: number): boolean =>
  (row.state === 'live' || row.state === 'building') &&
  row.pausedReason === null &&
  row.operatorPausedAt === null &&
  !isLeased(row, now);

const isDone = (row: Generation, now: number): boolean =>
  (row.state === 'retired' && row.changedAt < now - RETIRED_GRACE_MS && (row.keptUntil ?? 0) < now) ||
  (row.state === 'refused' && row.changedAt < now - REFUSED_GRACE_MS) ||
  (row.state === 'scratch' && row.leaseUntil < now - RETIRED_GRACE_MS && row.changedAt < now - RETIRED_GRACE_MS);

async function runGeneration(
  deps: ProjectorDependencies,
  projection: Projection,
  row: Generation,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  await requireHistory({ what: `read model ${projection.name}`, ...row }, deps.log, await deps.log.identity()).catch(
    async (error: unknown) => {
      if (!(error instanceof LogSetBack)) throw error;
      await deps.generations.pause(lease, error.message, null);
      throw new ProcessorPaused(error.message);
    },
  );
  const target = await foldTarget(deps, projection, lease);
  const after =
    row.state === 'building' ? await buildGeneration(deps, { ...target, unread: true }, row, signal) : row.checkpoint;
  if (after === null) return;
  const { log, batchSize } = deps;
  let checkpoint = after;
  for await (const batch of log.subscribe({ after, batchSize, types: projection.handles, signal }))
    checkpoint = await foldOrPause(deps, target, checkpoint, batch, signal);
}
