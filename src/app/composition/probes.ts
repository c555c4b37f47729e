import { closeAll } from '../../../plumbing/close-all.ts';
import type { KafkaAddress } from '../../../domain/ports/kafka.ts';
import type { Probes } from '../../../domain/ports/probes.ts';
import { createGenerationStore } from '../../../infra/postgresql/read-models/generations.ts';
import { createInstallationStore } from '../../../infra/postgresql/installation/installation.ts';
import { openDatabase } from '../../../infra/postgresql/connection/open-database.ts';
import { probeDatabase } from '../../../infra/postgresql/connection/probe-database.ts';
import { systemClock } from '../../../infra/system/clock.ts';
import { createLogger } from '../../../infra/system/logging.ts';
import { answersWithSuccess, machineProbe } from '../../../infra/system/machine.ts';
import { BadSetting, type Settings } from '../settings.ts';
import { openLog, reachDatabase } from './open-stores.ts';
import { requireInstallation } from './require-installation.ts';

const PROBE_TIMEOUT_MS = 5_000;

/** Returns null if no brokers are set. Throws `BadSetting` for a password that would be sent in clear text. */
export function kafkaAddress(settings: Settings): KafkaAddress | null {
  const { KAFKA_BROKERS: brokers, CIVIC_KAFKA_TLS, CIVIC_KAFKA_SASL: sasl } = settings;
  if (brokers === undefined) return null;
  const tls = CIVIC_KAFKA_TLS === 'on';
  if (sasl?.mechanism === 'plain' && !tls) {
    throw new BadSetting(
      'CIVIC_KAFKA_SASL is plain, but CIVIC_KAFKA_TLS is off; allowed without TLS is scram-sha-256 or scram-sha-512',
    );
  }
  return { brokers, tls, sasl };
}

async function probeInstallation(settings: Settings): Promise<void> {
  const logger = createLogger('silent', 'json');
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const attached = await reachDatabase(settings, 'command', logger);
    const { url } = attached;
    closers.push(() => attached.leave());
    const database = await openDatabase({ dsn: url, statementTimeoutMs: PROBE_TIMEOUT_MS });
    closers.push(() => database.close());
    const log = await openLog(settings.EVENTSTORE_URL ?? url);
    closers.push(() => log.close());
    const [generations, store] = [
      createGenerationStore(database.transactor),
      createInstallationStore(database.transactor),
    ];
    await requireInstallation({ generations, store, log, logger, holdsLog: settings.EVENTSTORE_URL === undefined });
  } finally {
    await closeAll(closers.toReversed());
  }
}

async function probeEventStore(url: string): Promise<void> {
  const log = (await import('../../../infra/kurrentdb/event-log.ts')).openKurrentLog({
    url,
    deadlineMs: PROBE_TIMEOUT_MS,
  });
  try {
    await log.head();
  } finally {
    await log.close();
  }
}

function createBrokerProbe(settings: Settings): Probes['brokers'] {
  const address = kafkaAddress(settings);
  if (address === null) return null;
  const { CIVIC_KAFKA_FEED_TOPIC: feed, CIVIC_KAFKA_INLET_TOPIC: inlet } = settings;
  return async () => {
    const { probeKafka } = await import('../../../infra/kafka/probe-kafka.ts');
    return probeKafka(address, createLogger('silent', 'json'), { feed, inlet });
  };
}

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
  installation: () => probeInstallation(settings),
  eventStore: settings.EVENTSTORE_URL === undefined ? null : () => probeEventStore(settings.EVENTSTORE_URL!),
  brokers: createBrokerProbe(settings),
  answersAt: answersWithSuccess,
});
