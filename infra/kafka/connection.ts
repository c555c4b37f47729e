import { Kafka, type KafkaConfig, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import type { KafkaAddress } from '../../src/domain/kafka-address.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { leaveOutTimeoutWarning } from './timeout-warning.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** A few tries within a call; whoever calls has more patience, and can be told to stop. */
const RETRY = { retries: 4, initialRetryTime: 100, maxRetryTime: 2_000 };

/** kafkajs calls an error what it then tries again by itself; what it gives up is thrown, and told by whoever catches it. */
const speaker = (logger: Logger) => (): ((entry: LogEntry) => void) => (entry) => {
  const { message, error, broker, groupId } = entry.log;
  const fields = { part: entry.namespace, error: error as unknown, broker: broker as unknown, groupId: groupId as unknown };
  if (entry.level === logLevel.ERROR) logger.info(fields, `Kafka: ${message}`);
  else logger.debug(fields, `Kafka: ${message}`);
};

/** The client of the brokers; nothing is connected yet. */
export const kafkaClient = ({ brokers, tls, sasl }: KafkaAddress, logger: Logger): Kafka => {
  leaveOutTimeoutWarning();
  const config: KafkaConfig = {
    clientId: 'civic-records',
    brokers: [...brokers],
    connectionTimeout: CONNECT_TIMEOUT_MS,
    authenticationTimeout: CONNECT_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: RETRY,
    logLevel: logLevel.WARN,
    logCreator: speaker(logger),
  };
  if (tls) config.ssl = true;
  if (sasl !== undefined) config.sasl = { ...sasl } as SASLOptions;
  return new Kafka(config);
};
