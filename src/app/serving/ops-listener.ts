import { collectDefaultMetrics, Registry } from 'prom-client';
import { SOFTWARE_VERSION } from '../../../domain/health.ts';
import type { Position } from '../../../domain/ports/event-log.ts';
import { type Operations, readOperations } from '../../../queries/operators/read-operations.ts';
import type { Civic } from '../civic.ts';
import { createHttpMetrics, type HttpMetrics } from '../../edge/metrics/http-metrics.ts';
import { register } from '../../edge/metrics/metric.ts';
import { KAFKA_METRICS, PROCESS_METRICS } from '../../edge/metrics/process-metrics.ts';
import {
  KNOWN_METRICS,
  PROJECTION_LAG_METRICS,
  REPORT_METRICS,
  SHARED_METRICS,
} from '../../edge/metrics/shared-metrics.ts';
import { createOperationsWatch } from '../../edge/ops/operations-watch.ts';
import { createOpsServer } from '../../edge/ops/ops-server.ts';
import { createLastHour, POINT_EVERY_MS } from '../../edge/ops/last-hour.ts';
import { SAMPLE_EVERY_MS, watchProcess } from '../../edge/ops/process-state.ts';
import { createReadOpsState } from '../../edge/ops/read-state.ts';
import type { ServeRole } from '../roles.ts';
import { repeat } from '../../processors/runtime/jobs.ts';
import { createReadiness } from './readiness.ts';
import { BadSetting, type Settings } from '../settings.ts';

interface Listener {
  listen(address: { readonly host: string; readonly port: number }): Promise<{ readonly url: string }>;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Throws `BadSetting` if the public and the operator listener would share an address. */
export function requireDistinctListeners(settings: Settings): void {
  const { CIVIC_HTTP_HOST: publicHost, CIVIC_HTTP_PORT: port, CIVIC_OPS_HOST: opsHost } = settings;
  const isLoopback = LOOPBACK.has(publicHost) && LOOPBACK.has(opsHost);
  const isShared = isLoopback || publicHost === opsHost || WILDCARDS.has(publicHost) || WILDCARDS.has(opsHost);
  if (port === 0 || settings.CIVIC_OPS_PORT !== port || !isShared) return;
  throw new BadSetting(
    `CIVIC_HTTP_PORT and CIVIC_OPS_PORT are both ${port}: set them to different ports; port 0 picks a free one`,
  );
}

/** Resolves to the base URL. Throws `BadSetting` for an address that cannot be bound. */
export async function listenOn(
  listener: Listener,
  setting: 'CIVIC_HTTP' | 'CIVIC_OPS',
  host: string,
  port: number,
): Promise<string> {
  try {
    return (await listener.listen({ host, port })).url;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be bound (${code ?? message})`;
    throw new BadSetting(
      `${host}:${port} ${reason}: set ${setting}_HOST and ${setting}_PORT to a free address; port 0 picks one`,
    );
  }
}

/** Opens the operator listener. Close it last, so that the end of everything else can be observed. `opsUrl` is null if it is off. */
export async function openOpsListener(
  civic: Civic,
  { role, stopping }: { readonly role: ServeRole; readonly stopping: AbortSignal },
  headAtStart: Position,
) {
  const { settings } = civic;
  const machineClock = civic.listing.leaseClock;
  const registry = new Registry();
  const watch = watchOperations(civic);
  // One read, with a deadline, serves the page and every gauge: a scrape adds no load.
  const readKnown = async (): Promise<Operations | null> => {
    const { reachable, newest } = await watch();
    return reachable === 'answers' && newest !== null ? newest.operations : null;
  };
  registerMetrics(registry, { civic, role, readKnown });
  const metrics = createHttpMetrics(registry);
  const readiness = createReadiness({ ...civic, headAtStart, clock: machineClock, stopping });
  if (settings.CIVIC_OPS_PORT === 'off') return { opsUrl: null, metrics, close: async () => undefined };

  const samples = startSampling({ civic, role, metrics, readKnown });
  const server = createOpsServer({
    registry,
    readiness,
    state: createReadOpsState({
      watch,
      ofProcess: samples.ofProcess,
      lastHour: samples.lastHour,
      retentionMs: settings.CIVIC_REPLAY_RETENTION,
      serviceClock: civic.clock,
      machineClock,
      trialTime: civic.isTrial ? () => civic.clock.now() : null,
      freeDiskBytes: civic.freeDiskBytes,
    }),
    allowedHosts: [settings.CIVIC_OPS_HOST.toLowerCase(), ...settings.CIVIC_OPS_ALLOWED_HOSTS],
    logger: civic.logger,
  });
  const close = async () => void (await Promise.all([samples.stop(), server.close()]));
  try {
    const opsUrl = await listenOn(server, 'CIVIC_OPS', settings.CIVIC_OPS_HOST, settings.CIVIC_OPS_PORT);
    return { opsUrl, metrics, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function watchOperations(civic: Civic) {
  const { settings, logger, listing, listingReactors, reads, installation } = civic;
  const reading = {
    ...listing,
    ...listingReactors,
    reads,
    payments: civic.paymentLedger,
    setBacks: civic.history.setBacks,
    installation,
    unclassified: civic.unclassifiedItems,
    sourceChecks: civic.sourceChecks,
    serviceClock: civic.clock,
  };
  const logApart = settings.EVENTSTORE_URL !== undefined;
  return createOperationsWatch({ read: () => readOperations(reading), logApart, clock: listing.leaseClock, logger });
}

interface Measured {
  readonly civic: Civic;
  readonly role: ServeRole;
  readonly readKnown: () => Promise<Operations | null>;
}

function registerMetrics(registry: Registry, { civic, role, readKnown }: Measured): void {
  const { figures, pools } = civic;
  collectDefaultMetrics({ register: registry });
  register(registry, KNOWN_METRICS, async () => (await readKnown()) !== null);
  register(registry, SHARED_METRICS, readKnown);
  register(registry, PROJECTION_LAG_METRICS, async () => (await readKnown())?.projections ?? null);
  register(registry, REPORT_METRICS, async () => {
    const operations = await readKnown();
    return operations && { figures: operations.reports, now: civic.clock.now() };
  });
  register(registry, PROCESS_METRICS, () => ({ figures, pools, role, version: SOFTWARE_VERSION }));
  if (civic.kafkaCounters !== null) register(registry, KAFKA_METRICS, () => civic.kafkaCounters);
}

/** Samples the requests and the lag of this process until `stop`. */
function startSampling({
  civic: { logger, listing },
  role,
  metrics,
  readKnown,
}: Measured & { readonly metrics: HttpMetrics }) {
  const clock = listing.leaseClock;
  const ending = new AbortController();
  const ofProcess = watchProcess({ role, version: SOFTWARE_VERSION }, () => metrics.totals(), clock);
  const readLagSeconds = async (): Promise<number | null> => {
    const lags = (await readKnown())?.projections.filter(({ serves }) => serves).map((each) => each.lagSeconds);
    return lags === undefined ? null : Math.max(0, ...lags);
  };
  const lastHour = createLastHour(() => metrics.totals(), readLagSeconds, clock);
  const pointing = { what: 'the lines of the last hour', everyMs: POINT_EVERY_MS, run: () => lastHour.point() };
  // A point covers the time since the previous one, and a new installation has no read models yet: the first point waits.
  const pointed = clock.sleep(POINT_EVERY_MS, ending.signal).then(
    () => repeat(clock, logger, ending.signal, pointing),
    () => undefined,
  );
  const sampling = { what: 'sampling requests', everyMs: SAMPLE_EVERY_MS, run: async () => ofProcess.sample() };
  const sampled = repeat(clock, logger, ending.signal, sampling);
  const stop = async (): Promise<void> => {
    ending.abort(new Error('the service is shutting down'));
    ofProcess.close();
    await Promise.all([sampled, pointed]);
  };
  return { ofProcess, lastHour, stop };
}
