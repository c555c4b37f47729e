import { type AttachedDatabase, attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';
import { openEventLog } from '../../infra/postgresql/event-log.ts';
import { isKurrentAddress, LOG_ADDRESS_ALLOWED } from '../../domain/log-address.ts';
import { openDatabaseClock, trialClockOffset } from '../../infra/postgresql/clocks.ts';
import { createFillLock } from '../../infra/postgresql/fill-lock.ts';
import { createInstallationStore } from '../../infra/postgresql/installation.ts';
import { migrate } from '../../infra/postgresql/schema-state.ts';
import { openDatabase } from '../../infra/postgresql/open-database.ts';
import { createSetBacks } from '../../infra/postgresql/log-position.ts';
import { createWorkingRows } from '../../infra/postgresql/working-rows.ts';
import { shiftedClock, systemClock } from '../../infra/system/clock.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { closeAll } from '../../domain/close-all.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Transactor } from '../../domain/ports/database.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import type { ErasingLog, EventLog } from '../../domain/ports/event-log.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { BadSetting, type Settings } from '../settings.ts';
import { withErasures } from './erased-log.ts';

/** A service and a command make the installation where there is none; a reader is refused there, and also reads a read-only database. */
export type Role = 'service' | 'command' | 'reader';
const LOG_TIMEOUT_MS = 60_000;
/** The recovery of gigabytes of log takes minutes, and so does a start on a machine that is overloaded. */
const START_TIMEOUT_MS = 300_000;

/** The database of DATABASE_URL, or the embedded one, which runs until this program leaves it. */
export const reachDatabase = async (settings: Settings, role: Role, logger: Logger): Promise<AttachedDatabase> =>
  settings.DATABASE_URL === undefined
    ? attachEmbedded({ dataDir: settings.CIVIC_DATA_DIR, role, startTimeoutMs: START_TIMEOUT_MS, logger })
    : { url: settings.DATABASE_URL, leave: async () => undefined };

export type OpenLog = EventLog & ErasingLog & { forget(): void; close(): Promise<void> };

/** A log that is not in use; `postgresql` is the one beside the read models. Throws `BadSetting` for another text that is no address. */
export async function openOtherLog(address: string, own: string): Promise<OpenLog> {
  if (isKurrentAddress(address)) return await openLog(address);
  if (address !== 'postgresql') throw new BadSetting(`allowed is postgresql, or ${LOG_ADDRESS_ALLOWED}`);
  return openEventLog({ dsn: own, statementTimeoutMs: LOG_TIMEOUT_MS, copiesLog: true });
}

/** The log at an address, with every erasure applied. Loads the client of KurrentDB, which is large, only for its addresses. */
export async function openLog(address: string): Promise<OpenLog> {
  if (!isKurrentAddress(address)) {
    return withErasures(openEventLog({ dsn: address, statementTimeoutMs: LOG_TIMEOUT_MS }), { rewrites: true }, systemClock);
  }
  const { openKurrentLog } = await import('../../infra/kurrentdb/event-log.ts');
  return withErasures(openKurrentLog({ url: address, deadlineMs: LOG_TIMEOUT_MS }), { rewrites: false }, systemClock);
}

/** The time of the program, shifted where a trial has set the clock of this database; a shift is logged as a warning. */
export async function openClock(transactor: Transactor, settings: Settings, time: Clock, logger: Logger): Promise<Clock> {
  const offset = await trialClockOffset(transactor, settings.CIVIC_CLOCK_START, time.now());
  if (offset === 0) return time;
  const clock = shiftedClock(time, () => offset);
  const now = new Date(clock.now()).toISOString();
  logger.warn({ now }, 'TRIAL CLOCK: the time of this database is not the present; use it for trials only');
  return clock;
}

export type OpenStores = Awaited<ReturnType<typeof openStores>>;

/** The database with its schema up to date, the log, and what closes both. After a failure, what was opened until then is closed. */
export async function openStores(settings: Settings, role: Role, logger: Logger, searchConnections?: number) {
  /** The last one ends first. */
  const closers: (() => Promise<unknown>)[] = [];
  const close = (): Promise<void> => closeAll(closers.splice(0).toReversed());
  try {
    if (settings.DATABASE_URL === undefined && role === 'service') {
      logger.info({ folder: settings.CIVIC_DATA_DIR }, 'starting the embedded PostgreSQL');
    }
    const attached = await reachDatabase(settings, role, logger);
    const { url } = attached;
    closers.push(() => attached.leave());
    await migrate(url, { reads: role === 'reader', logger });
    const database = await openDatabase({ dsn: url, statementTimeoutMs: settings.CIVIC_STATEMENT_TIMEOUT, searchConnections });
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

/** The stores for a command that needs no read model. Appends nothing. */
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
