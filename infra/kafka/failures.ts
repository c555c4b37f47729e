import type { Admin, Kafka } from 'kafkajs';
import type { WantedByBrokers } from '../../domain/kafka-address.ts';
import { NotYet } from '../../domain/ports/reactors.ts';
import { answeredWithin } from '../../domain/within-deadline.ts';
import { systemClock } from '../system/clock.ts';
import { causes, type KafkaUse, refusalOf } from './refusals.ts';

const NAMES_OF_ABSENCE: ReadonlySet<string> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
]);

/** Transient refusals of the protocol: another producer has taken over, or the coordinator sees another state of the transaction. */
const PASSING: ReadonlySet<string> = new Set([
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_TXN_STATE',
  'CONCURRENT_TRANSACTIONS',
  'TRANSACTION_COORDINATOR_FENCED',
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'BROKER_NOT_AVAILABLE',
]);

/** Refusals that an operator of the brokers can correct; the caller retries. */
const WAITED_FOR: ReadonlySet<WantedByBrokers> = new Set(['certificate', 'tls', 'closed']);

/** Maps the error of a call: `NotYet` where a retry can succeed, else an error that says what is missing and what to do. */
export function asFailure(error: unknown, use: KafkaUse): Error {
  const refusal = refusalOf(error, use);
  if (refusal !== null) {
    const { wanted, message, remedy } = refusal;
    const text = `${message}; ${remedy}`;
    return WAITED_FOR.has(wanted) ? new NotYet(text) : new Error(text, { cause: error });
  }
  for (const { name, type, retriable, message } of causes(error)) {
    const passes = NAMES_OF_ABSENCE.has(name) || (type !== undefined && (PASSING.has(type) || retriable === true));
    if (passes) return new NotYet(`the brokers of Kafka do not go on at the moment: ${message}`);
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Runs calls of the client and maps their errors with `asFailure`. */
export async function calling<Result>(use: KafkaUse, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asFailure(error, use);
  }
}

/** Waits at most so many milliseconds for the end of a connection: a broker that hangs must not keep the service from stopping. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await answeredWithin(systemClock, milliseconds, () => work).catch(() => undefined);
}

const END_MS = 5_000;

/** Runs work with an administrative connection of its own. */
export async function withAdmin<Result>(kafka: Kafka, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await atMost(END_MS, admin.disconnect());
  }
}
