import { closeAll } from '../../../plumbing/close-all.ts';
import { Backoff, isStoreFailure } from '../../../plumbing/retry.ts';
import type { Civic } from '../civic.ts';
import { formatBanner, type Started } from './banner.ts';
import { trustedProxies } from '../../edge/admission/client-address.ts';
import { documentRoutes } from '../../edge/documents/document-routes.ts';
import { pageDocuments } from '../../edge/pages/page-documents.ts';
import { createHttpServer, HTTP_TIMEOUTS } from '../../edge/http/http-server.ts';
import type { HttpServerParts } from '../../edge/http/parts.ts';
import { does, type ServeRole } from '../roles.ts';
import { nextRunOf, partsOf } from '../../processors/runtime/job-parts.ts';
import { repeat, type Repetition, runIfDue } from '../../processors/runtime/jobs.ts';
import { listenOn, openOpsListener, requireDistinctListeners } from './ops-listener.ts';
import { listReactors } from '../../../queries/operators/processors.ts';
import { BadSetting } from '../settings.ts';
import { fillNewLog, type SampleAccount, type SampleWanted } from '../../sources/first-run.ts';

const LOG_EVERY = 100;
const [CLASSIFIED_CHECKS, CLASSIFIED_CHECK_MS] = [100, 100];

interface Serving {
  readonly role: ServeRole;
  readonly stopping: AbortSignal;
  /** Aborts at the second signal, which cuts off running requests. */
  readonly hurrying?: AbortSignal;
  readonly print: (text: string) => void;
  /** Secrets are printed only to a terminal. */
  readonly toTerminal: boolean;
  /** Default: the banner of the service. */
  readonly banner?: (started: Started) => string;
  /** Set only in a sandbox. */
  readonly disturb?: HttpServerParts['disturb'];
}

/** Runs the service until `stopping` aborts, then ends requests, processors and connections in this order. */
export async function serve(civic: Civic, serving: Serving): Promise<void> {
  const { role, stopping } = serving;
  if (role === 'relay' && civic.kafkaCounters === null)
    throw new BadSetting('--role relay needs KAFKA_BROKERS, which is unset');
  const closers: (() => Promise<void>)[] = [];
  const ending = new AbortController();
  try {
    startFollowers(civic, role);
    const watching = civic.history.watch((position) => civic.passed(position), ending.signal);
    closers.push(() => watching);
    const headAtStart = await civic.log.head();
    const { baseUrl, opsUrl, drain } = await openListeners(civic, serving, headAtStart, closers);
    const sampleAccount = await seedLog(civic, serving);
    await waitForReadModels(civic, serving, sampleAccount !== null);
    announce(civic, serving, { baseUrl, opsUrl, sampleAccount });
    const repeating = scheduledJobs(civic, role, ending.signal).map((job) =>
      repeat(civic.clock, civic.logger, ending.signal, job),
    );
    closers.push(async () => void (await Promise.all(repeating)));
    if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
    civic.logger.info({}, 'stopping');
    await drain();
  } finally {
    ending.abort(new Error('the service is shutting down'));
    await closeAll(closers.toReversed());
  }
}

/** True if a line of JSON replaces the banner: a collector of container logs expects JSON on every line. */
const isBannerJson = ({ settings }: Civic, { banner }: Serving): boolean =>
  banner === undefined && settings.CIVIC_LOG_FORMAT === 'json';

/** Prints the banner. In JSON it has the fields of a log line, and appears whatever the log level is. */
function announce(civic: Civic, serving: Serving, started: Started): void {
  const { print, banner = formatBanner } = serving;
  const { baseUrl, opsUrl, sampleAccount } = started;
  const fields = { level: 30, time: civic.machineClock.now(), msg: 'serving', baseUrl, opsUrl };
  const line = () => `${JSON.stringify({ ...fields, sampleAccount: sampleAccount?.accountId })}\n`;
  print(isBannerJson(civic, serving) ? line() : banner(started));
}

function startFollowers(civic: Civic, role: ServeRole): void {
  if (does(role, 'runProjections')) civic.startProjector();
  if (does(role, 'runReactors')) civic.startReactors();
  if (does(role, 'relayToKafka')) civic.startKafkaBridge();
}

/** Seeds an empty log. Resolves to null unless this call opened the sample account. */
async function seedLog(civic: Civic, serving: Serving): Promise<SampleAccount | null> {
  const { role, stopping } = serving;
  if (!does(role, 'seedCatalogue')) return null;
  const sample = does(role, 'seedSample') ? wantedSample(civic) : 'off';
  civic.logger.info({}, 'seeding the event log if it is empty');
  const sampleKey = serving.toTerminal && !isBannerJson(civic, serving);
  return fillNewLog(civic, { sample, sampleKey }, (work) => retryWhileUnavailable(civic, stopping, work));
}

async function waitForReadModels(civic: Civic, { role, stopping }: Serving, isSampleNew: boolean): Promise<void> {
  civic.logger.info({}, 'folding the log into the read models');
  if (isSampleNew && does(role, 'runReactors'))
    await retryWhileUnavailable(civic, stopping, () => waitUntilClassified(civic, stopping));
  const caughtUp = await retryWhileUnavailable(civic, stopping, async () => civic.caughtUp(await civic.log.head()));
  if (!caughtUp) civic.logger.warn({}, 'the read models have not caught up yet; check /readyz');
}

/** Retries work while a store is unavailable: a service with open listeners must not exit. */
async function retryWhileUnavailable<Result>(
  { clock, logger }: Civic,
  stopping: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  for (const pause = new Backoff(500, 10_000); ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreFailure(error) || stopping.aborted) throw error;
      logger.warn({ err: error }, 'a store is unavailable; the start continues when it is back');
      await clock.sleep(pause.take(), stopping).catch(() => undefined);
      stopping.throwIfAborted();
    }
  }
}

/** Waits up to ten seconds for the classification of the sample, because the printed commands show a hit. */
async function waitUntilClassified(civic: Civic, stopping: AbortSignal): Promise<void> {
  for (let checks = 0; checks < CLASSIFIED_CHECKS && !stopping.aborted; checks += 1) {
    if ((await listReactors(civic.listingReactors)).every(({ oldestPendingAt }) => oldestPendingAt === null)) return;
    await civic.clock.sleep(CLASSIFIED_CHECK_MS, stopping).catch(() => undefined);
  }
}

/** Returns the setting, or `new` for the embedded database and `off` for others. */
const wantedSample = ({ settings }: Civic): SampleWanted =>
  settings.CIVIC_SAMPLE ??
  (settings.DATABASE_URL === undefined && settings.EVENTSTORE_URL === undefined ? 'new' : 'off');

async function openListeners(
  civic: Civic,
  { role, stopping, hurrying, disturb }: Serving,
  headAtStart: Awaited<ReturnType<Civic['log']['head']>>,
  closers: (() => Promise<void>)[],
) {
  const { settings } = civic;
  if (does(role, 'answerRequests')) requireDistinctListeners(settings);
  const { opsUrl, metrics, close } = await openOpsListener(civic, { role, stopping }, headAtStart);
  closers.push(close);
  if (!does(role, 'answerRequests')) return { baseUrl: null, opsUrl, drain: async () => undefined };
  const http = createHttpServer({
    ...civic,
    readPosition: civic.publicPosition,
    documents: (baseUrl) => [...documentRoutes(baseUrl), ...pageDocuments()],
    baseUrl: settings.CIVIC_BASE_URL,
    allowedOrigins: settings.CIVIC_ALLOWED_ORIGINS ?? [],
    publicOrigins: settings.CIVIC_PUBLIC_ORIGINS,
    metrics,
    logSampleEvery: LOG_EVERY,
    isTrustedProxy: trustedProxies(settings.CIVIC_TRUSTED_PROXIES),
    limits: {
      ipv6Prefix: settings.CIVIC_IPV6_PREFIX,
      total: settings.CIVIC_HTTP_MAX_CONNECTIONS,
      perClient: settings.CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT,
      pipelined: settings.CIVIC_HTTP_MAX_PIPELINED,
    },
    timeouts: HTTP_TIMEOUTS,
    disturb,
  });
  const bound = await listenOn(http, 'CIVIC_HTTP', settings.CIVIC_HTTP_HOST, settings.CIVIC_HTTP_PORT);
  closers.push(() => http.close(hurrying));
  /** Serves on until load balancers have seen in `/readyz` that the process is stopping. */
  const drain = async (): Promise<void> => {
    http.drain();
    if (settings.CIVIC_DRAIN_DELAY > 0)
      await civic.clock.sleep(settings.CIVIC_DRAIN_DELAY, hurrying).catch(() => undefined);
  };
  return { baseUrl: settings.CIVIC_BASE_URL ?? bound, opsUrl, drain };
}

/** Milliseconds between two attempts to acquire the lease of a job. */
const LEASE_ATTEMPT_EVERY_MS = 5_000;

/** Returns the jobs of a role. A job under a lease runs in one process at a time. */
export function scheduledJobs(civic: Civic, role: ServeRole, signal: AbortSignal): readonly Repetition[] {
  const dependencies = { store: civic.processorStore, ...civic.projectorDependencies };
  const { store, leaseClock } = dependencies;
  const warnOf = (what: string) => (error: unknown) => {
    if (!signal.aborted) civic.logger.warn({ error: (error as Error).message }, `${what} failed; trying again later`);
  };
  return civic.jobs
    .filter(({ work }) => does(role, work))
    .map((job): Repetition => {
      const { what, everyMs } = job;
      if ('parts' in job) {
        const repetition = partsOf(job.parts, {
          listDue: (leases) => store.listDueJobs(leases, everyMs, leaseClock.now()),
          runPart: ({ lease, run }) => {
            const nextRun = (now: number) => nextRunOf(lease, everyMs, now);
            return runIfDue(
              dependencies,
              { name: lease, everyMs, nextRun, run: async (mine) => void (await run(mine)) },
              signal,
            );
          },
          failed: warnOf(what),
          stopping: signal,
          checksPerInterval: everyMs / LEASE_ATTEMPT_EVERY_MS,
        });
        return { what, everyMs: LEASE_ATTEMPT_EVERY_MS, ...repetition };
      }
      const { lease, run } = job;
      if (lease === null) return { what, everyMs, run: async () => void (await run(signal)) };
      const leased = { name: lease, everyMs, run: async (mine: AbortSignal) => void (await run(mine)) };
      return { what, everyMs: LEASE_ATTEMPT_EVERY_MS, run: () => runIfDue(dependencies, leased, signal) };
    });
}
