import { collectDefaultMetrics, Registry } from 'prom-client';
import { SOFTWARE_VERSION } from '../../domain/health.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { type Operations, readOperations } from '../../queries/operators/read-operations.ts';
import type { Civic } from '../civic.ts';
import { createHttpMetrics } from '../edge/metrics/http-metrics.ts';
import { register } from '../edge/metrics/metric.ts';
import { KAFKA_METRICS, PROCESS_METRICS } from '../edge/metrics/process-metrics.ts';
import { KNOWN_METRICS, PROJECTION_LAG_METRICS, REPORT_METRICS, SHARED_METRICS } from '../edge/metrics/shared-metrics.ts';
import { createOperationsWatch } from '../edge/ops/operations-watch.ts';
import { createOpsServer } from '../edge/ops/ops-server.ts';
import { createLastHour, POINT_EVERY_MS } from '../edge/ops/last-hour.ts';
import { SAMPLE_EVERY_MS, watchProcess } from '../edge/ops/process-state.ts';
import { createReadOpsState } from '../edge/ops/read-state.ts';
import type { ServeRole } from '../processors/roles.ts';
import { repeat } from '../processors/runtime/jobs.ts';
import { createReadiness } from './readiness.ts';
import { BadSetting } from '../settings.ts';

interface Listener {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly url: string }>;
}

/** Resolves to the base URL. Throws `BadSetting` for an address that cannot be bound. */
export async function listenOn(listener: Listener, setting: 'CIVIC_HTTP' | 'CIVIC_OPS', host: string, port: number): Promise<string> {
  try {
    return (await listener.listen({ host, port })).url;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be had (${code ?? message})`;
    throw new BadSetting(`${host}:${port} ${reason}: set ${setting}_HOST and ${setting}_PORT to a free address; port 0 picks one`);
  }
}

/** The listener closes last, so that the end of all else can be observed. `opsUrl` is null where the settings turn it off. */
export async function openOpsListener(
  civic: Civic,
  { role, stopping }: { readonly role: ServeRole; readonly stopping: AbortSignal },
  headAtStart: Position,
) {
  const { settings, logger, listing } = civic;
  const machineClock = listing.leaseClock;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { reads, paymentLedger: payments } = civic;
  const { installation, clock: serviceClock } = civic;
  const reading = { ...listing, ...civic.listingReactors, reads, payments, setBacks: civic.history.setBacks, installation, serviceClock };
  const logApart = settings.EVENTSTORE_URL !== undefined;
  const watch = createOperationsWatch({ read: () => readOperations(reading), logApart, clock: machineClock, logger });
  // One read, with a deadline, serves the page and every gauge: a scrape adds no load.
  const known = async (): Promise<Operations | null> => {
    const { reachable, newest } = await watch();
    return reachable === 'answers' && newest !== null ? newest.operations : null;
  };
  register(registry, KNOWN_METRICS, async () => (await known()) !== null);
  register(registry, SHARED_METRICS, known);
  register(registry, PROJECTION_LAG_METRICS, async () => (await known())?.projections ?? null);
  register(registry, REPORT_METRICS, async () => {
    const operations = await known();
    return operations && { figures: operations.reports, now: civic.clock.now() };
  });
  register(registry, PROCESS_METRICS, () => ({ figures: civic.figures, pools: civic.pools, role, version: SOFTWARE_VERSION }));
  if (civic.kafkaCounters !== null) register(registry, KAFKA_METRICS, () => civic.kafkaCounters);
  const metrics = createHttpMetrics(registry);
  const readiness = createReadiness({ ...civic, headAtStart, clock: machineClock, stopping });
  if (settings.CIVIC_OPS_PORT === 'off') return { opsUrl: null, metrics, close: async () => undefined };

  const ending = new AbortController();
  const ofProcess = watchProcess({ role, version: SOFTWARE_VERSION }, () => metrics.totals(), machineClock);
  const lagSeconds = async (): Promise<number | null> => {
    const lags = (await known())?.projections.filter(({ serves }) => serves).map((each) => each.lagSeconds);
    return lags === undefined ? null : Math.max(0, ...lags);
  };
  const lastHour = createLastHour(() => metrics.totals(), lagSeconds, machineClock);
  const pointing = { what: 'the lines of the last hour', everyMs: POINT_EVERY_MS, run: () => lastHour.point() };
  // Not at once: a point is of what came after the one before, and a new installation has no read models to look at yet.
  const pointed = machineClock.sleep(POINT_EVERY_MS, ending.signal).then(
    () => repeat(machineClock, logger, ending.signal, pointing),
    () => undefined,
  );
  const sampling = { what: 'sampling requests', everyMs: SAMPLE_EVERY_MS, run: async () => ofProcess.sample() };
  const sampled = repeat(machineClock, logger, ending.signal, sampling);
  const server = createOpsServer({
    registry,
    readiness,
    state: createReadOpsState({
      watch,
      ofProcess,
      lastHour,
      retentionMs: settings.CIVIC_REPLAY_RETENTION,
      serviceClock,
      machineClock,
      trialTime: civic.isTrial ? () => civic.clock.now() : null,
      freeDiskBytes: civic.freeDiskBytes,
    }),
    allowedHosts: [settings.CIVIC_OPS_HOST.toLowerCase(), ...settings.CIVIC_OPS_ALLOWED_HOSTS],
    logger,
  });
  const close = async () => {
    ending.abort(new Error('the service is ending'));
    ofProcess.close();
    await Promise.all([server.close(), sampled, pointed]);
  };
  try {
    const opsUrl = await listenOn(server, 'CIVIC_OPS', settings.CIVIC_OPS_HOST, settings.CIVIC_OPS_PORT);
    return { opsUrl, metrics, close };
  } catch (error) {
    await close();
    throw error;
  }
}
