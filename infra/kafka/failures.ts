import type { Kafka } from 'kafkajs';
import { KafkaRefused, type BrokerRequirement } from '../../domain/ports/kafka.ts';
import { NotYet } from '../../domain/ports/reactors.ts';
import { certificateReason } from '../system/certificate-reason.ts';
import { lastErrorOf } from './connection.ts';

/** Purpose of a client and the rights that it needs, worded for messages. */
export interface KafkaUse {
  readonly kafka: Kafka;
  readonly rights: Readonly<Partial<Record<`${'TOPIC' | 'GROUP' | 'TRANSACTIONAL_ID'}_AUTHORIZATION_FAILED`, string>>>;
}

interface KafkaError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
  readonly code?: unknown;
  readonly topic?: string;
  readonly errors?: readonly unknown[];
}

const DEEPEST = 8;

/** Yields an error, its causes and its aggregated errors, outermost first. */
function* eachCause(error: unknown, depth = 0): Generator<KafkaError> {
  if (!(error instanceof Error) || depth > DEEPEST) return;
  yield error;
  yield* eachCause(error.cause, depth + 1);
  for (const each of (error as KafkaError).errors ?? []) yield* eachCause(each, depth + 1);
}

export const isMissingTopic = (error: unknown): boolean =>
  eachCause(error).some(({ type }) => type === 'UNKNOWN_TOPIC_OR_PARTITION');

const HIDDEN_CODES = new Map([
  ['Transactional Id authorization failed', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
  ['Not authorized to access group: Group authorization failed', 'GROUP_AUTHORIZATION_FAILED'],
]);

function missingRight({ name, type, topic }: KafkaError, { kafka, rights }: KafkaUse): string | null {
  const code = name === 'KafkaJSGroupCoordinatorNotFound' ? HIDDEN_CODES.get(lastErrorOf(kafka)) : type;
  if (!code?.endsWith('_AUTHORIZATION_FAILED')) return null;
  const right =
    code === 'CLUSTER_AUTHORIZATION_FAILED'
      ? 'IdempotentWrite on the cluster'
      : rights[code as keyof KafkaUse['rights']];
  return `${right ?? code}${topic === undefined ? '' : ` (refused: the topic ${topic})`}`;
}

/** OpenSSL errors of a server that does not speak TLS. */
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);
const CLOSED = 'the brokers close the connection without an answer; they might require TLS or a credential';

/** Returns the unmet requirement of the brokers that an error names, with its text. Null for any other failure. */
function findRequirement(cause: KafkaError, use: KafkaUse): readonly [BrokerRequirement, string] | null {
  const { name, code, message } = cause;
  if (NO_TLS.has(String(code)) || message.includes('before secure TLS connection was established')) {
    return ['tls', 'the brokers do not speak TLS at this port'];
  }
  if (name === 'KafkaJSSASLAuthenticationError') return ['credential', `the brokers refuse the credential: ${message}`];
  if (message.startsWith('Closed connection')) return ['closed', CLOSED];
  const right = missingRight(cause, use);
  return right === null ? null : ['right', `a right is missing: ${right}`];
}

const REMEDIES: Readonly<Record<BrokerRequirement, string>> = {
  certificate: 'put the authority that signed it into NODE_EXTRA_CA_CERTS, or correct the host names in KAFKA_BROKERS',
  tls: 'unset CIVIC_KAFKA_TLS, or name their port for TLS in KAFKA_BROKERS',
  credential: 'correct the mechanism, the user and the password in CIVIC_KAFKA_SASL',
  closed: 'set CIVIC_KAFKA_TLS and CIVIC_KAFKA_SASL as the brokers require, or correct KAFKA_BROKERS',
  right: 'give it to the user of CIVIC_KAFKA_SASL; docs/operators/feed-on-kafka.md lists all',
};

/** Returns the unmet requirement of the brokers (certificate, credential or right). Null for any other failure. */
export function refusalOf(error: unknown, use: KafkaUse): KafkaRefused | null {
  const refused = (requirement: BrokerRequirement, message: string) =>
    new KafkaRefused(requirement, message, REMEDIES[requirement], { cause: error });
  const reason = certificateReason(error);
  if (reason !== null) return refused('certificate', `the certificate of the brokers is not trusted: ${reason}`);
  for (const cause of eachCause(error)) {
    const refusal = findRequirement(cause, use);
    if (refusal !== null) return refused(...refusal);
  }
  return null;
}

/** Types and names of transient failures that kafkajs does not mark as retriable. */
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set([
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
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

/** Refusals that the operator of the brokers can fix. The caller retries. */
const RETRIED_REQUIREMENTS: ReadonlySet<BrokerRequirement> = new Set(['certificate', 'tls', 'closed']);

/** Maps the error of a call to `NotYet` if a retry can succeed, else to an error with the cause and the remedy. */
export function toFailure(error: unknown, use: KafkaUse): Error {
  const refusal = refusalOf(error, use);
  if (refusal !== null) {
    const text = `${refusal.message}; ${refusal.remedy}`;
    return RETRIED_REQUIREMENTS.has(refusal.requirement) ? new NotYet(text) : new Error(text, { cause: error });
  }
  for (const { name, type, retriable, message } of eachCause(error)) {
    if (retriable === true || TRANSIENT_FAILURES.has(type ?? name))
      return new NotYet(`the Kafka brokers cannot continue at the moment: ${message}`);
  }
  return error instanceof Error ? error : new Error(String(error));
}

export async function callBrokers<Result>(use: KafkaUse, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error, use);
  }
}
