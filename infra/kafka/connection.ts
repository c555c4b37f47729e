import { type Admin, Kafka, type KafkaConfig, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import type { KafkaAddress } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { resolveWithin } from '../../plumbing/retry.ts';
import { systemClock } from '../system/clock.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Retries within one call. The caller retries for longer, and can abort. */
const RETRY = { retries: 4, initialRetryTime: 100, maxRetryTime: 2_000 };
const END_MS = 5_000;
const lastErrors = new WeakMap<Kafka, { text: string }>();

/**
 * Returns the last broker error that the client logged, because some thrown errors omit it. Empty before the first one.
 */
export const lastErrorOf = (kafka: Kafka): string => lastErrors.get(kafka)?.text ?? '';

/** Logs the errors that kafkajs retries. It throws the others, which the caller logs. */
const speaker = (logger: Logger, last: { text: string }) => (): ((entry: LogEntry) => void) => {
  let logged = '';
  return (entry) => {
    const { message, error, broker, groupId } = entry.log;
    const fields = {
      part: entry.namespace,
      error: error as unknown,
      broker: broker as unknown,
      groupId: groupId as unknown,
    };
    if (typeof error === 'string') last.text = error;
    const text = `${entry.namespace} ${message} ${String(error)}`;
    // Log a repeated failure only once.
    const isNews = entry.level === logLevel.ERROR && text !== logged;
    if (isNews) logged = text;
    logger[isNews ? 'info' : 'debug'](fields, `Kafka: ${message}`);
  };
};

/** Creates a client of the brokers without connecting. */
export function kafkaClient({ brokers, tls, sasl }: KafkaAddress, logger: Logger): Kafka {
  const last = { text: '' };
  const config: KafkaConfig = {
    clientId: 'civic-records',
    brokers: [...brokers],
    connectionTimeout: CONNECT_TIMEOUT_MS,
    authenticationTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: RETRY,
    logLevel: logLevel.WARN,
    logCreator: speaker(logger, last),
  };
  if (tls) config.ssl = true;
  if (sasl !== undefined) config.sasl = { ...sasl } as SASLOptions;
  const kafka = new Kafka(config);
  lastErrors.set(kafka, last);
  return kafka;
}

/** Closes a connection. Waits for a limited time, so that a hanging broker cannot block a shutdown. Never throws. */
export async function disconnected(connection: { disconnect(): Promise<void> }, milliseconds = END_MS): Promise<void> {
  await resolveWithin(systemClock, milliseconds, () => connection.disconnect()).catch(() => undefined);
}

export async function withAdmin<Result>(kafka: Kafka, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await disconnected(admin);
  }
}
