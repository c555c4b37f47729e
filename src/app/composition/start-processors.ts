import { observedProjection, observedReactor } from '../../../infra/telemetry/observed-ports.ts';
import { BATCH_EVENTS } from '../../../domain/ports/event-log.ts';
import type { Projection } from '../../../domain/ports/projection.ts';
import type { Reactor } from '../../../domain/ports/reactors.ts';
import type { kafka } from '../modules/kafka.ts';
import type { Platform } from '../platform.ts';
import { type Projector, startProjector } from '../../processors/projector/projector.ts';
import { runReactor } from '../../processors/runtime/run-reactor.ts';

/** Returns functions that start the processors. Closing the program stops them. */
export function startProcessors(
  platform: Platform,
  projections: readonly Projection[],
  reactors: readonly Reactor[],
  bridge: ReturnType<typeof kafka>,
) {
  const { log, stores, database, leaseClock, logger, owner, leaseMs, tracing, figures } = platform;
  const running = { log, leaseClock, logger, owner, leaseMs, store: stores.processorStore };
  const { transactor } = database;
  const { generations } = stores;
  const keptMs = platform.settings.CIVIC_REBUILD_KEPT;
  const folding = { transactor, generations, batchSize: BATCH_EVENTS, keptMs };
  const projectorDependencies = { log, leaseClock, logger, owner, leaseMs, ...folding };
  const start = (
    started: readonly Reactor[],
    inlet: (signal: AbortSignal) => Promise<void> = async () => undefined,
  ): void => {
    const stopping = new AbortController();
    const all = [
      ...started.map((reactor) => runReactor(running, observedReactor(reactor, tracing), stopping.signal)),
      inlet(stopping.signal),
    ];
    platform.onClose(async () => {
      stopping.abort();
      await Promise.all(all);
    });
  };
  let projector: Projector | undefined;
  return {
    projectorDependencies,
    /** Starts the projector, which folds the generations whose leases it acquires. */
    startProjector: (): Projector => {
      if (projector === undefined) {
        const observed = projections.map((projection) => observedProjection(projection, tracing, figures));
        const started = (projector = startProjector(projectorDependencies, observed));
        platform.onClose(() => started.stop());
      }
      return projector;
    },
    startReactors: (only?: readonly string[]): void =>
      start(reactors.filter(({ name }) => only === undefined || only.includes(name))),
    /** Does nothing without KAFKA_BROKERS. */
    startKafkaBridge: (): void => {
      if (bridge !== null) start([bridge.relay], bridge.runInlet);
    },
  };
}
