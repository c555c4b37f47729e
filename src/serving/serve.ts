import { listRecentAgendaHits } from '../../contract/list-recent-agenda-hits.ts';
import { closeAll } from '../../domain/close-all.ts';
import { Backoff, isStoreFailure } from '../../domain/retry.ts';
import { FIRST_SYNC } from '../edge/pages/first-sync.ts';
import { SCOPES } from '../../domain/events/account-events.ts';
import type { Civic } from '../civic.ts';
import { trustedProxies } from '../edge/admission/client-address.ts';
import { documentRoutes } from '../edge/documents/document-routes.ts';
import { pageDocuments } from '../edge/pages/page-documents.ts';
import { createHttpServer, HTTP_TIMEOUTS } from '../edge/http/http-server.ts';
import type { HttpServerParts } from '../edge/http/parts.ts';
import { does, type ServeRole } from '../processors/roles.ts';
import { type JobPart, partsOf, repeat, type Repetition, runIfDue } from '../processors/runtime/jobs.ts';
import { listenOn, openOpsListener } from './ops-listener.ts';
import { processMemory, releasingMemory } from './release-memory.ts';
import { listReactors } from '../../queries/operators/processors.ts';
import { BadSetting } from '../settings.ts';
import { fillNewLog, type SampleAccount, type SampleWanted } from '../sources/first-run.ts';

const LOG_EVERY = 100;
const CLASSIFYING = 'classify items, work on reports as they come, settle them';
const [CLASSIFIED_LOOKS, CLASSIFIED_LOOK_MS] = [100, 100];

interface Serving {
  readonly role: ServeRole;
  readonly stopping: AbortSignal;
  /** Aborts at the second signal: running requests are cut off. */
  readonly hurrying?: AbortSignal;
  readonly print: (text: string) => void;
  /** Secrets are printed only to a terminal. */
  readonly toTerminal: boolean;
  /** Default: that of the service. */
  readonly banner?: (started: Started) => string;
  /** For a sandbox alone. */
  readonly disturb?: HttpServerParts['disturb'];
}

/** What a start has come to; an address is null where nothing listens. */
export interface Started {
  readonly baseUrl: string | null;
  readonly opsUrl: string | null;
  /** Not null in the one start that opens it; its key is null where it must not be printed. */
  readonly sampleAccount: SampleAccount | null;
}

/** Runs the service until `stopping` aborts, then ends requests, processors and connections in this order. */
export async function serve(civic: Civic, serving: Serving): Promise<void> {
  const { role, stopping, print, toTerminal, banner = bannerText } = serving;
  if (role === 'relay' && civic.kafkaCounters === null)
    throw new BadSetting('KAFKA_BROKERS is unset, and --role relay carries nothing without it');
  const closers: (() => Promise<void>)[] = [];
  const ending = new AbortController();
  try {
    if (does(role, 'fold the read models, build and switch their generations')) civic.startProjector();
    if (does(role, CLASSIFYING)) civic.startReactors();
    if (does(role, 'carry the feed out to Kafka')) civic.startKafkaBridge();
    const watching = civic.history.watch((position) => civic.passed(position), ending.signal);
    closers.push(() => watching);
    const headAtStart = await civic.log.head();
    const { baseUrl, opsUrl, drain } = await openListeners(civic, serving, headAtStart, closers);
    let sampleAccount: SampleAccount | null = null;
    if (does(role, 'fill a new log with topics and catalogue')) {
      const sample = does(role, 'fill a new log with the sample') ? wantedSample(civic) : 'off';
      civic.logger.info({}, 'looking whether the log is new, and filling a new one');
      sampleAccount = await fillNewLog(civic, { sample, sampleKey: toTerminal }, (work) => whileAway(civic, stopping, work));
    }
    civic.logger.info({}, 'folding the log into the read models');
    if (sampleAccount !== null && does(role, CLASSIFYING)) await whileAway(civic, stopping, () => untilClassified(civic, stopping));
    const caughtUp = await whileAway(civic, stopping, async () => civic.caughtUp(await civic.log.head()));
    if (!caughtUp) civic.logger.warn({}, 'the read models have not caught up yet; see /readyz');
    print(banner({ baseUrl, opsUrl, sampleAccount }));
    const memory = processMemory();
    const repeated = [...scheduledJobs(civic, role, ending.signal), ...(memory === null ? [] : [releasingMemory(memory, civic.logger)])];
    const repeating = repeated.map((work) => repeat(civic.clock, civic.logger, ending.signal, work));
    closers.push(async () => void (await Promise.all(repeating)));
    if (!stopping.aborted) await new Promise((resolve) => stopping.addEventListener('abort', resolve, { once: true }));
    civic.logger.info({}, 'stopping');
    await drain();
  } finally {
    ending.abort(new Error('the service is ending'));
    await closeAll(closers.toReversed());
  }
}

/** Repeats work while a store is away: once the listeners are open, they answer so, and the service stays. */
async function whileAway<Result>({ clock, logger }: Civic, stopping: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (const pause = new Backoff(500, 10_000); ; ) {
    try {
      return await work();
    } catch (error) {
      if (!isStoreFailure(error) || stopping.aborted) throw error;
      logger.warn({ err: error }, 'a store is away; the start goes on when it is back');
      await clock.sleep(pause.take(), stopping).catch(() => undefined);
      stopping.throwIfAborted();
    }
  }
}

/** The sample has hits once its items are classified: the printed lines show one. Waits ten seconds at most. */
async function untilClassified(civic: Civic, stopping: AbortSignal): Promise<void> {
  for (let looks = 0; looks < CLASSIFIED_LOOKS && !stopping.aborted; looks += 1) {
    if ((await listReactors(civic.listingReactors)).every(({ oldestPendingAt }) => oldestPendingAt === null)) return;
    await civic.clock.sleep(CLASSIFIED_LOOK_MS, stopping).catch(() => undefined);
  }
}

/** By default a new log gets the sample only in the embedded database. */
const wantedSample = ({ settings }: Civic): SampleWanted =>
  settings.CIVIC_SAMPLE ?? (settings.DATABASE_URL === undefined && settings.EVENTSTORE_URL === undefined ? 'new' : 'off');

async function openListeners(
  civic: Civic,
  { role, stopping, hurrying, disturb }: Serving,
  headAtStart: Awaited<ReturnType<Civic['log']['head']>>,
  closers: (() => Promise<void>)[],
) {
  const { settings } = civic;
  const { opsUrl, metrics, close } = await openOpsListener(civic, { role, stopping }, headAtStart);
  closers.push(close);
  if (!does(role, 'answer requests')) return { baseUrl: null, opsUrl, drain: async () => undefined };
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
      total: settings.CIVIC_HTTP_MAX_CONNECTIONS,
      perClient: settings.CIVIC_HTTP_MAX_CONNECTIONS_PER_CLIENT,
      pipelined: settings.CIVIC_HTTP_MAX_PIPELINED,
    },
    timeouts: HTTP_TIMEOUTS,
    disturb,
  });
  const bound = await listenOn(http, 'CIVIC_HTTP', settings.CIVIC_HTTP_HOST, settings.CIVIC_HTTP_PORT);
  closers.push(() => http.close(hurrying));
  /** Goes on serving while balancers read in `/readyz` that the process stops. */
  const drain = async (): Promise<void> => {
    http.drain();
    if (settings.CIVIC_DRAIN_DELAY > 0) await civic.clock.sleep(settings.CIVIC_DRAIN_DELAY, hurrying).catch(() => undefined);
  };
  return { baseUrl: settings.CIVIC_BASE_URL ?? bound, opsUrl, drain };
}

function bannerText({ baseUrl: served, opsUrl, sampleAccount }: Started): string {
  const baseUrl = served ?? '(no public listener in this role)';
  const key = sampleAccount?.key ?? null;
  const header = key === null ? '-H "Authorization: Bearer $CIVIC_API_KEY"' : `-H 'Authorization: Bearer ${key}'`;
  const access =
    key === null
      ? [
          'API key        issue one, it is shown once:',
          ...(sampleAccount === null ? ['               npm run --silent civic -- accounts list'] : []),
          `               npm run --silent civic -- keys issue --account ${sampleAccount?.accountId ?? 'ID'} --scope ${SCOPES.join(',')}`,
        ]
      : [`API key        ${key}`, '               (the sample account; shown this once)'];
  return [
    '',
    `Civic Records  ${baseUrl}`,
    ...(baseUrl.startsWith('http') ? [`reference      ${baseUrl}/reference`] : []),
    ...(opsUrl === null ? [] : [`operators      ${opsUrl}/ops  ${opsUrl}/readyz  ${opsUrl}/metrics`]),
    ...access,
    '',
    'Try:',
    `  curl '${baseUrl}${listRecentAgendaHits.path}'`,
    `  curl ${header} '${baseUrl}/api/v1/data/changes?limit=2'`,
    `  curl ${header} -X POST '${baseUrl}/api/v1/data/snapshots'`,
    `  curl ${header} '${baseUrl}/api/v1/data/health'`,
    ...(sampleAccount === null
      ? []
      : ['', 'Invented sample records are there. The first sync replaces them by real ones:', `  ${FIRST_SYNC}`]),
    '',
    '',
  ].join('\n');
}

/** Milliseconds between two attempts to take a job over. */
const LOOK_EVERY_MS = 5_000;

export function scheduledJobs(civic: Civic, role: ServeRole, signal: AbortSignal): readonly Repetition[] {
  const store = { store: civic.processorStore, ...civic.projectorDependencies };
  const underLease = ({ lease, run }: JobPart, everyMs: number) =>
    runIfDue(store, { name: lease, everyMs, run: async (mine) => void (await run(mine)) }, signal);
  return civic.jobs
    .filter(({ work }) => does(role, work))
    .map((job): Repetition => {
      const { what, everyMs } = job;
      if ('parts' in job) {
        const failed = (error: unknown) => {
          if (!signal.aborted) civic.logger.warn({ error: (error as Error).message }, `${what} failed; it will be tried again`);
        };
        return { what, everyMs: LOOK_EVERY_MS, ...partsOf(job.parts, (part) => underLease(part, everyMs), { failed, stopping: signal }) };
      }
      const { lease, run } = job;
      if (lease === null) return { what, everyMs, run: async () => void (await run(signal)) };
      return { what, everyMs: LOOK_EVERY_MS, run: () => underLease({ lease, run }, everyMs) };
    });
}
