import type { AttachedDatabase } from '../../infra/embedded-postgresql/attach.ts';
import { stayAttached } from '../../infra/embedded-postgresql/stay-attached.ts';
import { openEventLog } from '../../infra/postgresql/event-log.ts';
import { isKurrentAddress, LOG_ADDRESS_ALLOWED } from '../domain/log-address.ts';
import { answersWithSuccess, machineProbe } from '../../infra/system/machine.ts';
import { probeDatabase } from '../../infra/postgresql/probe-database.ts';
import type { Probes } from '../domain/ports/probes.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { systemClock } from '../../infra/system/clock.ts';
import type { Role } from '../civic.ts';
import type { ErasingLog } from '../domain/ports/erasures.ts';
import { kafkaAddress } from './kafka-address.ts';
import type { EventLog } from '../domain/ports/event-log.ts';
import type { Logger } from '../domain/ports/logger.ts';
import { BadSetting, type Settings } from '../settings.ts';
import { withErasures } from './erased-log.ts';

const LOG_TIMEOUT_MS = 60_000;
const PROBE_TIMEOUT_MS = 5_000;
const START_TIMEOUT_MS = 60_000;

/** The database to use: the user's own, or the embedded one for as long as this program is open. */
export const reachDatabase = async (settings: Settings, role: Role, logger: Logger): Promise<AttachedDatabase> =>
  settings.DATABASE_URL === undefined
    ? stayAttached({ dataDir: settings.CIVIC_DATA_DIR, role, startTimeoutMs: START_TIMEOUT_MS, logger, clock: systemClock })
    : { url: settings.DATABASE_URL, leave: async () => undefined };

const probeEventStore = async (url: string): Promise<void> => {
  const log = (await import('../../infra/kurrentdb/event-log.ts')).openKurrentLog({ url, deadlineMs: PROBE_TIMEOUT_MS });
  try {
    await log.head();
  } finally {
    await log.close();
  }
};

const probeBrokersOf = (settings: Settings): Probes['brokers'] => {
  const address = kafkaAddress(settings);
  if (address === null) return null;
  const { CIVIC_KAFKA_FEED_TOPIC: feed, CIVIC_KAFKA_INLET_TOPIC: inlet } = settings;
  return async () => {
    const { probeKafka } = await import('../../infra/kafka/probe-kafka.ts');
    return probeKafka(address, createLogger('silent', 'json'), { feed, inlet });
  };
};

/** What the doctor looks at under these settings. */
export const probesOf = (settings: Settings): Probes => ({
  machine: machineProbe,
  async database() {
    const silent = createLogger('silent', 'json');
    const attached = await reachDatabase(settings, 'command', silent);
    try {
      return await probeDatabase(attached.url, systemClock);
    } finally {
      await attached.leave();
    }
  },
  eventStore: settings.EVENTSTORE_URL === undefined ? null : () => probeEventStore(settings.EVENTSTORE_URL!),
  brokers: probeBrokersOf(settings),
  answersAt: answersWithSuccess,
});

export type OpenLog = EventLog & ErasingLog & { forget?(): void; close(): Promise<void> };

/** A log that is not in use; `postgresql` is the one in the database of the read models, whose tables are always there. Throws `BadSetting` for what is no address. */
export const openOtherLog = async (address: string, own: string): Promise<OpenLog> => {
  if (isKurrentAddress(address)) return await openLog(address);
  if (address !== 'postgresql') throw new BadSetting(`allowed is postgresql, or ${LOG_ADDRESS_ALLOWED}`);
  return openEventLog({ dsn: own, statementTimeoutMs: LOG_TIMEOUT_MS, copiesLog: true });
};

/** The log at an address, of either kind, with every erasure applied: there is no way around it. What KurrentDB needs is large, and loaded then only. */
export const openLog = async (address: string): Promise<OpenLog> => {
  if (!isKurrentAddress(address)) {
    return withErasures(openEventLog({ dsn: address, statementTimeoutMs: LOG_TIMEOUT_MS }), { rewrites: true }, systemClock);
  }
  const { openKurrentLog } = await import('../../infra/kurrentdb/event-log.ts');
  return withErasures(openKurrentLog({ url: address, deadlineMs: LOG_TIMEOUT_MS }), { rewrites: false }, systemClock);
};
