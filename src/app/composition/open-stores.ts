import { type AttachedDatabase, attachEmbedded } from '../../../infra/embedded-postgresql/attach.ts';
import { requireInstalled } from '../../../infra/embedded-postgresql/launch-plan.ts';
import { openEventLog } from '../../../infra/postgresql/log/event-log.ts';
import { isKurrentAddress, LOG_ADDRESS_ALLOWED } from '../../../plumbing/log-address.ts';
import { openDatabaseClock, trialClockOffset } from '../../../infra/postgresql/leases/clocks.ts';
import { createFillLock } from '../../../infra/postgresql/read-models/fill-lock.ts';
import { createInstallationStore } from '../../../infra/postgresql/installation/installation.ts';
import { migrate } from '../../../infra/postgresql/connection/schema-state.ts';
import { openDatabase } from '../../../infra/postgresql/connection/open-database.ts';
import { createSetBacks } from '../../../infra/postgresql/log/log-position.ts';
import { createWorkingRows } from '../../../infra/postgresql/installation/working-rows.ts';
import { shiftedClock, systemClock } from '../../../infra/system/clock.ts';
import { createLogger } from '../../../infra/system/logging.ts';
import { closeAll } from '../../../plumbing/close-all.ts';
import { randomIdentifiers } from '../../../domain/identifiers.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { Transactor } from '../../../domain/ports/database.ts';
import type { Stores } from '../../../domain/ports/stores.ts';
import type { ErasingLog, EventLog } from '../../../domain/ports/event-log.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import { BadSetting, type Settings } from '../settings.ts';
import { withErasures } from './erased-log.ts';

/** A service or a command creates a missing installation. A reader throws for a missing one, and accepts a read-only database. */
export type Role = 'service' | 'command' | 'reader';
const LOG_TIMEOUT_MS = 60_000;
/** Recovery of gigabytes of log takes minutes, and so does a start on an overloaded machine. */
const START_TIMEOUT_MS = 300_000;

/** Returns the database of DATABASE_URL, or starts the embedded one, which runs until this program calls `leave`. */
export async function reachDatabase(settings: Settings, role: Role, logger: Logger): Promise<AttachedDatabase> {
  if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, leave: async () => undefined };
  // Must precede the data directory: an image has neither a folder for it nor the server.
  requireInstalled();
  if (role === 'service') logger.info({ folder: settings.CIVIC_DATA_DIR }, 'starting the embedded PostgreSQL');
  return attachEmbedded({ dataDir: settings.CIVIC_DATA_DIR, role, startTimeoutMs: START_TIMEOUT_MS, logger });
}

type OpenLog = EventLog & ErasingLog & { forget(): void; close(): Promise<void> };

/** Opens a log that is not in use; `postgresql` names the log next to the read models. Throws `BadSetting` for text that is not an address. */
export async function openOtherLog(address: string, own: string): Promise<OpenLog> {
  if (isKurrentAddress(address)) return await openLog(address);
  if (address !== 'postgresql') throw new BadSetting(`allowed is postgresql, or ${LOG_ADDRESS_ALLOWED}`);
  return openEventLog({ dsn: own, statementTimeoutMs: LOG_TIMEOUT_MS, copiesLog: true });
}

/** Opens the log at an address; reads apply every erasure. Loads the KurrentDB client, which is large, only for its addresses. */
export async function openLog(address: string): Promise<OpenLog> {
  if (!isKurrentAddress(address)) {
    return withErasures(
      openEventLog({ dsn: address, statementTimeoutMs: LOG_TIMEOUT_MS }),
      { rewrites: true },
      systemClock,
    );
  }
  const { openKurrentLog } = await import('../../../infra/kurrentdb/event-log.ts');
  return withErasures(openKurrentLog({ url: address, deadlineMs: LOG_TIMEOUT_MS }), { rewrites: false }, systemClock);
}

/** Returns the clock of the program. If a trial has set the clock of this database, it is shifted and a warning is logged. */
export async function openClock(
  transactor: Transactor,
  settings: Settings,
  time: Clock,
  logger: Logger,
): Promise<Clock> {
  const offset = await trialClockOffset(transactor, settings.CIVIC_CLOCK_START, time.now());
  if (offset === 0) return time;
  const clock = shiftedClock(time, () => offset);
  const now = new Date(clock.now()).toISOString();
  logger.warn({ now }, 'TRIAL CLOCK: this database does not use the present time; use it for trials only');
  return clock;
}

export type OpenStores = Awaited<ReturnType<typeof openStores>>;

/** Opens the database, migrates its schema and opens the log. After a failure, closes what it opened. */
export async function openStores(settings: Settings, role: Role, logger: Logger, searchConnections?: number) {
  /** Run in reverse order. */
  const closers: (() => Promise<unknown>)[] = [];
  const close = (): Promise<void> => closeAll(closers.splice(0).toReversed());
  try {
    const attached = await reachDatabase(settings, role, logger);
    const { url } = attached;
    closers.push(() => attached.leave());
    await migrate(url, { reads: role === 'reader', logger });
    const database = await openDatabase({
      dsn: url,
      statementTimeoutMs: settings.CIVIC_STATEMENT_TIMEOUT,
      searchConnections,
    });
    closers.push(() => database.close());
    const log = await openLog(settings.EVENTSTORE_URL ?? url);
    closers.push(() => log.close());
    const leaseClock = await openDatabaseClock(database.read);
    closers.push(() => leaseClock.close());
    return { url, database, log, leaseClock, closers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the stores for a command that needs no read model. Appends nothing. */
export async function openStoresAlone(settings: Settings, role: Role): Promise<Stores> {
  const logger = createLogger(settings.CIVIC_LOG_LEVEL ?? 'warn', settings.CIVIC_LOG_FORMAT ?? 'json');
  const { url, database, log, leaseClock, close } = await openStores(settings, role, logger);
  try {
    const clock = await openClock(database.transactor, settings, systemClock, logger);
    const rows = createWorkingRows(database.transactor);
    const installation = createInstallationStore(database.transactor);
    const setBacks = createSetBacks(database.transactor);
    const fillLock = createFillLock(url);
    return { log, rows, installation, setBacks, fillLock, leaseClock, clock, identifiers: randomIdentifiers, close };
  } catch (error) {
    await close();
    throw error;
  }
}
