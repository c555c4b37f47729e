import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { openFeed } from '../commands/feed/feed-identity.ts';
import { rememberInstallation } from '../commands/feed/same-installation.ts';
import { SOFTWARE_VERSION } from '../domain/health.ts';
import { randomIdentifiers } from '../domain/identifiers.ts';
import type { RandomBytes } from '../domain/key-secret.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { noInstallation } from '../domain/ports/stores.ts';
import { ProcessFigures } from '../domain/process-figures.ts';
import { LEASE_MS } from '../domain/while-leased.ts';
import {
  createChargeUnits,
  createFeedReadStore,
  createKeyUseStore,
  createSharedCounts,
  createWindowCounts,
} from '../infra/postgresql/counts.ts';
import { createDeciderCheckpoints } from '../infra/postgresql/decider-checkpoints.ts';
import { createErasedCopies } from '../infra/postgresql/erased-copies.ts';
import { createFillLock } from '../infra/postgresql/fill-lock.ts';
import { createGenerationStore } from '../infra/postgresql/generations.ts';
import { createInletStore } from '../infra/postgresql/inlet-store.ts';
import { createInstallationStore } from '../infra/postgresql/installation.ts';
import { createLiveReads, createProgress } from '../infra/postgresql/live-reads.ts';
import { createLogMoves } from '../infra/postgresql/log-moves.ts';
import { createTraffic, type Database } from '../infra/postgresql/open-database.ts';
import { createPaymentLedger } from '../infra/postgresql/payment-ledger.ts';
import { createProcessorStore } from '../infra/postgresql/processor-store.ts';
import { createReportClaims, createReportClientCounts, createReportLeases, createReportQueue } from '../infra/postgresql/report-stores.ts';
import { createWorkingRows } from '../infra/postgresql/working-rows.ts';
import { systemClock } from '../infra/system/clock.ts';
import { createLogger } from '../infra/system/logging.ts';
import { observedDatabase, observedLog } from '../infra/telemetry/observed-ports.ts';
import { openHistory } from './composition/open-history.ts';
import { openClock, openStores, type Role } from './composition/open-stores.ts';
import { requireInstallation } from './composition/require-installation.ts';
import type { Settings } from './settings.ts';

/** The base of every module. */
export type Platform = Awaited<ReturnType<typeof openPlatform>>;

export interface Times {
  /** Of the service. */
  readonly time: Clock;
  /** Of other systems and of leases on payments. */
  readonly chainClock: Clock;
}

class NoInstallation extends Error {
  override readonly name = 'NoInstallation';
}

/** Throws what the database, the log and the settings throw, and `NoInstallation` for a reader; what was opened until then is closed. */
export async function openPlatform({ time, chainClock }: Times, settings: Settings, role: Role, warnings: readonly string[]) {
  const level = settings.CIVIC_LOG_LEVEL ?? (role === 'service' ? 'info' : 'warn');
  const logger = createLogger(level, settings.CIVIC_LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json'), role === 'service');
  for (const warning of warnings) logger.warn({}, warning);
  // Twice what one account may use: no account can take all of them.
  const opened = await openStores(settings, role, logger, 2 * settings.CIVIC_SEARCH_CONCURRENCY);
  const { url, closers, close } = opened;
  try {
    const tracing = await openTraces(settings, logger);
    if (tracing !== null) closers.push(() => tracing.close());
    const figures = new ProcessFigures();
    const watched = openHistory(opened, settings, logger, figures);
    const database = observedDatabase(opened.database, tracing);
    const log = observedLog(watched.log, tracing, figures);
    const clock = await openClock(database.transactor, settings, time, logger);
    const stores = openWorkingStores(database, url);
    // Precedes the opening of the feed: an empty log beside read models of another log stays empty.
    const installed = { log, logger, store: stores.installation, holdsLog: settings.EVENTSTORE_URL === undefined };
    const found = await requireInstallation({ ...installed, generations: stores.generations });
    if (role === 'reader') {
      if (found === null) throw new NoInstallation(noInstallation('the log is empty'));
    } else {
      await openFeed({ log, clock, identifiers: randomIdentifiers, fillLock: createFillLock(url) });
      await rememberInstallation(installed);
    }
    return {
      settings,
      logger,
      /** Null where the settings ask for no traces. */
      tracing,
      figures,
      /** The time of the service: the machine's, or a trial's. */
      clock,
      /** Whether a trial has set the clock of this database, by this start or an earlier one. */
      isTrial: clock !== time,
      /** The time of other systems and of leases on payments. */
      chainClock,
      /** Pauses and timeouts. */
      machineClock: systemClock,
      /** One time for all processes on the database; leases are measured by it. */
      leaseClock: opened.leaseClock,
      identifiers: randomIdentifiers,
      randomBytes: randomBytes as RandomBytes,
      log,
      history: watched.history,
      database,
      databaseUrl: url,
      reads: createLiveReads(database.read, watched.history.refusal),
      progress: createProgress(database.read, clock),
      checkpoints: createDeciderCheckpoints(database.read, database.transactor, logger),
      stores,
      /** Names this process among the owners of leases. */
      owner: `${hostname()}:${process.pid}:${role}:${randomIdentifiers.next().slice(-6)}`,
      leaseMs: LEASE_MS,
      /** Milliseconds that an operation may take as a whole. */
      deadlineMs: settings.CIVIC_STATEMENT_TIMEOUT,
      /** Adds what `close` ends; the last one added ends first. */
      onClose: (closer: () => Promise<unknown>): void => void closers.push(closer),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function openWorkingStores({ transactor, counting, columns, read }: Database, url: string) {
  return {
    generations: createGenerationStore(transactor),
    installation: createInstallationStore(transactor),
    processorStore: createProcessorStore(transactor),
    workingRows: createWorkingRows(transactor),
    logMoves: createLogMoves(transactor, columns),
    paymentLedger: createPaymentLedger(transactor),
    reportLeases: createReportLeases(transactor),
    reportClaims: createReportClaims(counting),
    reportClients: createReportClientCounts(counting),
    reportQueue: createReportQueue(transactor),
    windowCounts: createWindowCounts(counting),
    /** Reads of the statement that admits and charges a request. */
    admissionReads: createLiveReads({ ...read, texts: counting }),
    chargeUnits: createChargeUnits(counting),
    storeKeyUse: createKeyUseStore(counting),
    storeFeedReads: createFeedReadStore(counting),
    sharedCounts: createSharedCounts(transactor, columns, randomIdentifiers.next()),
    erasedCopies: createErasedCopies(transactor, url),
    inlet: createInletStore(transactor),
    traffic: createTraffic(read),
  };
}

/** Whether an exporter or an endpoint is set and neither is turned off. */
export function tracesAsked(settings: Pick<Settings, keyof Settings & `OTEL_${string}`>): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  const { OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings;
  return exporter !== undefined || all !== undefined || own !== undefined;
}

/** Null where traces are off. Loads the SDK, which is large, only where they are on. */
const openTraces = async (settings: Settings, logger: Logger) =>
  tracesAsked(settings) ? (await import('../infra/telemetry/open-tracing.ts')).openTracing(logger, SOFTWARE_VERSION) : null;
