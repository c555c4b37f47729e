import { DAY_MS } from '../../../domain/durations.ts';
import type { Generation, Lease } from '../../../domain/ports/generations.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import { isLeased, LeaseLost } from '../../../domain/while-leased.ts';
import { ProcessorPaused } from '../runtime/apply-or-pause.ts';
import { createTrafficWatch, type TrafficWatch } from './rebuild-throttle.ts';
import { buildGeneration } from './build-generation.ts';
import { foldTarget, type ProjectorDependencies, underLease } from './fold-batch.ts';
import { createSharedPasses } from './shared-passes.ts';
import { LogSetBack, requireHistory } from '../runtime/own-log.ts';

const TICK_MS = 500;
const RETIRED_GRACE_MS = 30_000;
const REFUSED_GRACE_MS = DAY_MS;

export interface Projector {
  /** Looks at once for generations to fold, instead of at the next tick. */
  nudge(): void;
  /** Stops between two batches and gives the leases back. */
  stop(): Promise<void>;
}

/**
 * Folds every projection without another owner, takes over what was left by an owner that died, builds what is to be rebuilt, and drops
 * the tables of retired generations. Several may run on one database: each generation has one owner at a time.
 */
export function startProjector(deps: ProjectorDependencies, projections: readonly Projection[]): Projector {
  const stopping = new AbortController();
  const running = new Map<number, Promise<void>>();
  const watch = createTrafficWatch(deps);
  const fold = createSharedPasses(deps);
  let wake = new AbortController();

  const own = async (projection: Projection, candidate: Generation) => {
    // Another version of the program may have made it meanwhile: its tables are not ours to fill.
    if (candidate.version !== projection.version || running.has(candidate.generation)) return;
    const acquired = await deps.generations.acquire(candidate.generation, deps.owner, deps.leaseClock.now(), deps.leaseMs);
    if (acquired === null) return;
    deps.logger.debug({ projection: projection.name, generation: candidate.generation, token: acquired.lease.token }, 'projection owned');
    const run = underLease(deps, acquired.lease, stopping.signal, (signal) =>
      runGeneration({ ...deps, watch, fold }, projection, acquired.row, acquired.lease, signal),
    )
      .catch((error: unknown) => {
        if (error instanceof LeaseLost || error instanceof ProcessorPaused || stopping.signal.aborted) return;
        deps.logger.error({ projection: projection.name, error: (error as Error).message }, 'projection stopped');
      })
      .finally(() => running.delete(candidate.generation));
    running.set(candidate.generation, run);
  };

  /** Builds this version unless it was refused: building it again would only be refused again. A rebuild by command still may. */
  const replaceOlder = async (projection: Projection, rows: readonly Generation[], now: number) => {
    if (rows.some(({ state, version }) => state === 'refused' && version === projection.version)) return;
    const building = rows.find(({ state }) => state === 'building');
    // Not created again: these rows may be stale, and its switch may just be done.
    if (building !== undefined && building.version >= projection.version) return;
    if (building !== undefined) await deps.generations.abandon(building.generation, now);
    await deps.generations.create(projection, 'building', now).then((row) => own(projection, row));
  };

  const tick = async () => {
    const now = deps.leaseClock.now();
    const rows = await deps.generations.list();
    for (const projection of projections) {
      const mine = rows.filter((row) => row.projection === projection.name);
      const live = mine.find(({ state }) => state === 'live');
      if (live === undefined) await deps.generations.create(projection, 'live', now).then((row) => own(projection, row));
      else if (live.version < projection.version) await replaceOlder(projection, mine, now);
      for (const row of mine) {
        const wanted = (row.state === 'live' || row.state === 'building') && row.version === projection.version;
        const free = row.pausedReason === null && row.operatorPausedAt === null && !isLeased(row, now);
        if (wanted && free) await own(projection, row);
        if (isDone(row, now) && (await deps.generations.drop(row.generation, projection.tables(row.generation)))) {
          deps.logger.debug({ projection: projection.name, generation: row.generation }, 'tables of a retired generation dropped');
        }
      }
    }
  };

  const loop = async () => {
    while (!stopping.signal.aborted) {
      try {
        await tick();
        await watch.look();
      } catch (error) {
        if (!stopping.signal.aborted) deps.logger.warn({ error: (error as Error).message }, 'the projector could not look for work');
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

const isDone = (row: Generation, now: number): boolean =>
  (row.state === 'retired' && row.changedAt < now - RETIRED_GRACE_MS && (row.keptUntil ?? 0) < now) ||
  (row.state === 'refused' && row.changedAt < now - REFUSED_GRACE_MS) ||
  (row.state === 'scratch' && row.leaseUntil < now - RETIRED_GRACE_MS && row.changedAt < now - RETIRED_GRACE_MS);

async function runGeneration(
  deps: ProjectorDependencies & { readonly watch: TrafficWatch; readonly fold: ReturnType<typeof createSharedPasses> },
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
  const isBuilding = row.state === 'building';
  const checkpoint = isBuilding ? await buildGeneration(deps, { ...target, unread: true }, row, deps.watch, signal) : row.checkpoint;
  if (checkpoint !== null) await deps.fold(target, checkpoint, signal, { alone: isBuilding && row.held });
}
