import { openDatabaseClock } from '../../infra/postgresql/database-clock.ts';
import { createInstallationStore } from '../../infra/postgresql/installation.ts';
import { migrate } from '../../infra/postgresql/migrate.ts';
import { openDatabase } from '../../infra/postgresql/open-database.ts';
import { createSetBacks } from '../../infra/postgresql/set-backs.ts';
import { createWorkingRows } from '../../infra/postgresql/working-rows.ts';
import { steadyMilliseconds, systemClock } from '../../infra/system/clock.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { randomIdentifiers } from '../domain/identifiers.ts';
import type { Stores } from '../domain/ports/stores.ts';
import type { Settings } from '../settings.ts';
import { openLog, reachDatabase } from './open-stores.ts';
import { openClock } from './open-clock.ts';

/** Opens the database and the log, with the tables made; nothing is written to the log, and nobody's read models are looked at. */
export const openStoresAlone = async (settings: Settings): Promise<Stores> => {
  const logger = createLogger(settings.CIVIC_LOG_LEVEL ?? 'warn', settings.CIVIC_LOG_FORMAT ?? 'json');
  const attached = await reachDatabase(settings, 'command', logger);
  const closers: (() => Promise<unknown>)[] = [() => attached.leave()];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    await migrate(attached.url);
    const database = await openDatabase({ dsn: attached.url, statementTimeoutMs: settings.CIVIC_STATEMENT_TIMEOUT });
    closers.push(() => database.close());
    const log = await openLog(settings.EVENTSTORE_URL ?? attached.url);
    closers.push(() => log.close());
    const clock = await openClock(database.transactor, settings, systemClock, logger);
    const leaseClock = await openDatabaseClock(database.read, steadyMilliseconds, systemClock);
    closers.push(() => leaseClock.close());
    const rows = createWorkingRows(database.transactor);
    const installation = createInstallationStore(database.transactor);
    const setBacks = createSetBacks(database.transactor);
    return { log, rows, installation, setBacks, leaseClock, clock, identifiers: randomIdentifiers, close };
  } catch (error) {
    await close();
    throw error;
  }
};
