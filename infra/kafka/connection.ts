import { Kafka, type KafkaConfig, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import type { KafkaAddress } from '../../src/domain/kafka-address.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { leaveOutTimeoutWarning } from './timeout-warning.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** A few tries within a call; whoever calls has more patience, and can be told to stop. */
const RETRY = { retries: 4, initialRetryTime: 100, maxRetryTime: 2_000 };

const heard = new WeakMap<Kafka, { text: string }>();

/** What the brokers have answered last that was an error, in the client's words: some of its errors leave it out. Empty before the first one. */
export const lastErrorOf = (kafka: Kafka): string => heard.get(kafka)?.text ?? '';

/** kafkajs logs as errors what it then tries again by itself; what it gives up is thrown, and logged by its caller. */
const speaker = (logger: Logger, last: { text: string }) => (): ((entry: LogEntry) => void) => {
  let told = '';
  return (entry) => {
    const { message, error, broker, groupId } = entry.log;
    const fields = { part: entry.namespace, error: error as unknown, broker: broker as unknown, groupId: groupId as unknown };
    if (typeof error === 'string') last.text = error;
    const text = `${entry.namespace} ${message} ${String(error)}`;
    // What is tried again and again is told once.
    const isNews = entry.level === logLevel.ERROR && text !== told;
    if (isNews) told = text;
    logger[isNews ? 'info' : 'debug'](fields, `Kafka: ${message}`);
  };
};

/** The client of the brokers; nothing is connected yet. */
export const kafkaClient = ({ brokers, tls, sasl }: KafkaAddress, logger: Logger): Kafka => {
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
  heard.set(kafka, last);
  return kafka;
};
