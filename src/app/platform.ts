import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { openFeed } from '../../commands/feed/feed-identity.ts';
import { rememberInstallation } from '../../commands/feed/same-installation.ts';
import { SOFTWARE_VERSION } from '../../domain/health.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { RandomBytes } from '../../domain/key-secret.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { noInstallation } from '../../domain/ports/stores.ts';
import { ProcessFigures } from '../../plumbing/process-figures.ts';
import { LEASE_MS } from '../../plumbing/while-leased.ts';
import { createDeciderCheckpoints } from '../../infra/postgresql/log/decider-checkpoints.ts';
import { createFillLock } from '../../infra/postgresql/read-models/fill-lock.ts';
import { createLiveReads, createProgress } from '../../infra/postgresql/read-models/live-reads.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { observedDatabase, observedLog } from '../../infra/telemetry/observed-ports.ts';
import { openHistory } from './composition/open-history.ts';
import { openClock, openStores, type Role } from './composition/open-stores.ts';
import { requireInstallation } from './composition/require-installation.ts';
import type { Settings } from './settings.ts';
import { openWorkingStores } from './composition/open-working-stores.ts';

/** The parts that every module is built on. */
export type Platform = Awaited<ReturnType<typeof openPlatform>>;

export interface Times {
  /** Clock of the service. */
  readonly time: Clock;
  /** Clock for other systems and for leases on payments. */
  readonly chainClock: Clock;
}

class NoInstallation extends Error {
  override readonly name = 'NoInstallation';
}

/**
 * Opens everything that modules are built on. Throws the errors of the database, the log and the settings, and
 * `NoInstallation` if a reader opens an empty log. Closes what it opened when it throws.
 */
export async function openPlatform(times: Times, settings: Settings, role: Role, warnings: readonly string[]) {
  const logger = openLogger(settings, role);
  for (const warning of warnings) logger.warn({}, warning);
  // Twice the searches of one account, so that no account can use all connections.
  const opened = await openStores(settings, role, logger, 2 * settings.CIVIC_SEARCH_CONCURRENCY);
  try {
    const observed = await openObserved(opened, settings, logger);
    const { database, log } = observed;
    const clock = await openClock(database.transactor, settings, times.time, logger);
    const stores = openWorkingStores(database, opened.url);
    await openInstallation({ settings, role, logger, log, clock, stores, url: opened.url });
    return { ...observed, ...combineParts({ times, settings, role, logger, opened, observed, clock, stores }) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

type OpenedStores = Awaited<ReturnType<typeof openStores>>;
type Observed = Awaited<ReturnType<typeof openObserved>>;
type WorkingStores = ReturnType<typeof openWorkingStores>;

function openLogger({ CIVIC_LOG_LEVEL: level, CIVIC_LOG_FORMAT: format }: Settings, role: Role): Logger {
  const isService = role === 'service';
  const defaultFormat = process.stderr.isTTY ? 'pretty' : 'json';
  return createLogger(level ?? (isService ? 'info' : 'warn'), format ?? defaultFormat, isService);
}

/** Wraps the log and the database with metrics and traces. */
async function openObserved(opened: OpenedStores, settings: Settings, logger: Logger) {
  const tracing = await openTraces(settings, logger);
  if (tracing !== null) opened.closers.push(() => tracing.close());
  const figures = new ProcessFigures();
  const watched = openHistory(opened, settings, logger, figures);
  return {
    /** Null if the settings turn traces off. */
    tracing,
    figures,
    history: watched.history,
    database: observedDatabase(opened.database, tracing),
    log: observedLog(watched.log, tracing, figures),
  };
}

interface Installing {
  readonly settings: Settings;
  readonly role: Role;
  readonly logger: Logger;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly stores: WorkingStores;
  readonly url: string;
}

/** Checks that log and database belong together. Opens the feed of an empty log, except for a reader. */
async function openInstallation({ settings, role, logger, log, clock, stores, url }: Installing): Promise<void> {
  const installed = { log, logger, store: stores.installation, holdsLog: settings.EVENTSTORE_URL === undefined };
  // Check this before the feed is opened: an empty log next to read models of another log must stay empty.
  const stored = await requireInstallation({ ...installed, generations: stores.generations });
  if (role === 'reader') {
    if (stored === null) throw new NoInstallation(noInstallation('the log is empty'));
    return;
  }
  await openFeed({ log, clock, identifiers: randomIdentifiers, fillLock: createFillLock(url) });
  await rememberInstallation(installed);
}

interface Parts {
  readonly times: Times;
  readonly settings: Settings;
  readonly role: Role;
  readonly logger: Logger;
  readonly opened: OpenedStores;
  readonly observed: Observed;
  readonly clock: Clock;
  readonly stores: WorkingStores;
}

function combineParts({ times, settings, role, logger, opened, observed, clock, stores }: Parts) {
  const { database, history } = observed;
  return {
    settings,
    logger,
    /** Clock of the service: the machine's, or a trial's. */
    clock,
    /** True if this start or an earlier one has set the clock of this database for a trial. */
    isTrial: clock !== times.time,
    /** Clock for other systems and for leases on payments. */
    chainClock: times.chainClock,
    /** Clock for pauses and timeouts. */
    machineClock: systemClock,
    /** Clock of the database, which measures leases for all processes. */
    leaseClock: opened.leaseClock,
    identifiers: randomIdentifiers,
    randomBytes: randomBytes as RandomBytes,
    databaseUrl: opened.url,
    reads: createLiveReads(database.read, history.refusal),
    progress: createProgress(database.read, clock),
    checkpoints: createDeciderCheckpoints(database.read, database.transactor, logger),
    stores,
    /** Identifies this process among the owners of leases. */
    owner: `${hostname()}:${process.pid}:${role}:${randomIdentifiers.next().slice(-6)}`,
    leaseMs: LEASE_MS,
    /** Maximum duration of an operation, in milliseconds. */
    deadlineMs: settings.CIVIC_STATEMENT_TIMEOUT,
    /** Adds a function that `close` calls. The last one added is called first. */
    onClose: (closer: () => Promise<unknown>): void => void opened.closers.push(closer),
    close: opened.close,
  };
}

/** True if an exporter or an endpoint is set and neither is turned off. */
export function isTracingOn(settings: Pick<Settings, keyof Settings & `OTEL_${string}`>): boolean {
  if (settings.OTEL_SDK_DISABLED === 'true' || settings.OTEL_TRACES_EXPORTER === 'none') return false;
  const {
    OTEL_TRACES_EXPORTER: exporter,
    OTEL_EXPORTER_OTLP_ENDPOINT: all,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own,
  } = settings;
  return exporter !== undefined || all !== undefined || own !== undefined;
}

/** Returns null if traces are off. Loads the SDK, which is large, only if they are on. */
const openTraces = async (settings: Settings, logger: Logger) =>
  isTracingOn(settings)
    ? (await import('../../infra/telemetry/open-tracing.ts')).openTracing(logger, SOFTWARE_VERSION)
    : null;
