import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Operations, readOperations } from '../../queries/operators/read-operations.ts';
import type { Civic } from '../civic.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { registerKafkaMetrics } from '../edge/metrics/kafka-metrics.ts';
import { registerLagMetrics } from '../edge/metrics/lag-metrics.ts';
import { createHttpMetrics, type HttpMetrics } from '../edge/metrics/http-metrics.ts';
import { createOperationsWatch } from '../edge/ops/operations-watch.ts';
import { createRecentFigures, SAMPLE_EVERY_MS, watchProcess } from '../edge/ops/process-state.ts';
import { createReadOpsState } from '../edge/ops/read-state.ts';
import { registerOperationsMetrics } from '../edge/metrics/operations-metrics.ts';
import { createOpsServer } from '../edge/ops/ops-server.ts';
import { registerProcessMetrics } from '../edge/metrics/process-metrics.ts';
import { registerReportMetrics } from '../edge/metrics/report-metrics.ts';
import { listenOn } from './listen.ts';
import { createReadiness } from './readiness.ts';
import { repeat } from '../processors/runtime/repeat.ts';
import type { ServeRole } from '../processors/roles.ts';
import { VERSION } from './version.ts';

export interface OpsListener {
  /** Null where the settings turn it off. */
  readonly opsUrl: string | null;
  /** Counters of the public listener. */
  readonly metrics: HttpMetrics;
  readonly close: () => Promise<void>;
}

/** Opens the operators' listener. It closes last, so that the end of everything else can be observed. */
export async function openOpsListener(
  civic: Civic,
  { role, stopping }: { readonly role: ServeRole; readonly stopping: AbortSignal },
  headAtStart: Position,
): Promise<OpsListener> {
  const { settings, logger, listing } = civic;
  const machineClock = listing.leaseClock;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const reading = {
    ...listing,
    ...civic.listingReactors,
    reads: civic.reads,
    payments: civic.paymentLedger,
    setBacks: civic.history.setBacks,
  };
  const watch = createOperationsWatch({ read: () => readOperations(reading), clock: machineClock, logger });
  // One read, with a deadline, serves the page and every gauge: a scrape adds no load.
  const known = async (): Promise<Operations | null> => {
    const { reachable, newest } = await watch();
    return reachable === 'answers' && newest !== null ? newest.operations : null;
  };
  registerOperationsMetrics(registry, known);
  registerLagMetrics(registry, async () => (await known())?.projections ?? []);
  registerReportMetrics(registry, civic.clock, async () => (await known())?.reports ?? null);
  registerProcessMetrics(registry, { figures: civic.figures, pools: civic.pools, role, version: VERSION });
  if (civic.kafkaCounters !== null) registerKafkaMetrics(registry, civic.kafkaCounters);
  const metrics = createHttpMetrics(registry);
  const readiness = createReadiness({
    generations: civic.generations,
    log: civic.log,
    projections: civic.projections,
    headAtStart,
    history: civic.history,
    clock: machineClock,
    stopping,
  });
  if (settings.CIVIC_OPS_PORT === 'off') return { opsUrl: null, metrics, close: async () => undefined };

  const ending = new AbortController();
  const recent = createRecentFigures(() => metrics.totals(), machineClock);
  const sampling = { what: 'sampling requests', everyMs: SAMPLE_EVERY_MS, run: async () => recent.sample() };
  const sampled = repeat(machineClock, logger, ending.signal, sampling);
  const ofProcess = watchProcess({ role, version: VERSION }, recent);
  const server = createOpsServer({
    registry,
    readiness,
    state: createReadOpsState({ watch, ofProcess, clock: machineClock }),
    allowedHosts: [settings.CIVIC_OPS_HOST.toLowerCase(), ...settings.CIVIC_OPS_ALLOWED_HOSTS],
    logger,
  });
  const close = async () => {
    ending.abort(new Error('the service is ending'));
    ofProcess.close();
    await Promise.all([server.close(), sampled]);
  };
  try {
    const opsUrl = await listenOn(server, 'CIVIC_OPS', settings.CIVIC_OPS_HOST, settings.CIVIC_OPS_PORT);
    return { opsUrl, metrics, close };
  } catch (error) {
    await close();
    throw error;
  }
}
