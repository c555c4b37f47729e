import { type Admin, Kafka, type KafkaConfig, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import type { KafkaAddress } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { answeredWithin } from '../../domain/retry.ts';
import { systemClock } from '../system/clock.ts';

/** kafkajs 2.2.4 starts a timer of -1 ms per connection (its issue 1751, fix unreleased); no operator can act on the warning of Node. */
let isInstalled = false;

export function leaveOutTimeoutWarning(): void {
  if (isInstalled) return;
  isInstalled = true;
  const emit = process.emitWarning.bind(process) as (...warning: readonly unknown[]) => void;
  process.emitWarning = (...warning: readonly unknown[]): void => {
    if (warning[1] === 'TimeoutNegativeWarning' && /[\\/]kafkajs[\\/]/.test(new Error('asked from where').stack ?? '')) return;
    emit(...warning);
  };
}

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Tries within one call; the caller retries longer and can abort. */
const RETRY = { retries: 4, initialRetryTime: 100, maxRetryTime: 2_000 };
const END_MS = 5_000;
const lastErrors = new WeakMap<Kafka, { text: string }>();

/** The last error that a broker answered, as the client logged it; some thrown errors leave it out. Empty before the first one. */
export const lastErrorOf = (kafka: Kafka): string => lastErrors.get(kafka)?.text ?? '';

/** Logs of kafkajs. It logs errors that it retries; an error that it does not retry is thrown, and logged by the caller. */
const speaker = (logger: Logger, last: { text: string }) => (): ((entry: LogEntry) => void) => {
  let logged = '';
  return (entry) => {
    const { message, error, broker, groupId } = entry.log;
    const fields = { part: entry.namespace, error: error as unknown, broker: broker as unknown, groupId: groupId as unknown };
    if (typeof error === 'string') last.text = error;
    const text = `${entry.namespace} ${message} ${String(error)}`;
    // A repeated failure is logged once.
    const isNews = entry.level === logLevel.ERROR && text !== logged;
    if (isNews) logged = text;
    logger[isNews ? 'info' : 'debug'](fields, `Kafka: ${message}`);
  };
};

/** A client of the brokers. Opens no connection. */
export function kafkaClient({ brokers, tls, sasl }: KafkaAddress, logger: Logger): Kafka {
  leaveOutTimeoutWarning();
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

/** Ends a connection. Waits a limited time: a broker that hangs must not keep the service from stopping. Never throws. */
export async function disconnected(connection: { disconnect(): Promise<void> }, milliseconds = END_MS): Promise<void> {
  await answeredWithin(systemClock, milliseconds, () => connection.disconnect()).catch(() => undefined);
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
