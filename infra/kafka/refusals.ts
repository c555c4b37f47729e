import type { Kafka } from 'kafkajs';
import { KafkaRefused, type WantedByBrokers } from '../../domain/kafka-address.ts';
import { certificateReason } from '../system/certificate-reason.ts';
import { lastErrorOf } from './connection.ts';

/** The rights that a part of the program needs, in words, by what the brokers refuse. */
export interface NeededRights {
  readonly TOPIC_AUTHORIZATION_FAILED: string;
  readonly GROUP_AUTHORIZATION_FAILED?: string;
  readonly TRANSACTIONAL_ID_AUTHORIZATION_FAILED?: string;
}

/** The part of the program that calls the brokers, and what for. */
export interface KafkaUse {
  readonly kafka: Kafka;
  readonly rights: NeededRights;
}

/** An error with the fields that Node and kafkajs give theirs. */
interface KafkaError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
  readonly code?: unknown;
  readonly topic?: string;
  readonly errors?: readonly unknown[];
}

/** Answers of the brokers by the names that the client gives them. */
const HIDDEN = new Map([
  ['Transactional Id authorization failed', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
  ['Not authorized to access group: Group authorization failed', 'GROUP_AUTHORIZATION_FAILED'],
]);
const DEEPEST = 8;
/** OpenSSL's error where the server does not speak TLS. */
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** An error, its causes and its aggregated errors, the outermost first. */
export const causes = function* (error: unknown, depth = 0): Generator<KafkaError> {
  if (!(error instanceof Error) || depth > DEEPEST) return;
  yield error;
  yield* causes(error.cause, depth + 1);
  for (const each of (error as KafkaError).errors ?? []) yield* causes(each, depth + 1);
};

/** What the brokers require and do not receive: a trusted certificate, a credential or a right. Null for any other failure. */
export function refusalOf(error: unknown, use: KafkaUse): KafkaRefused | null {
  const refused = (wanted: WantedByBrokers, message: string, remedy: string) => new KafkaRefused(wanted, message, remedy, { cause: error });
  const certificate = certificateReason(error);
  if (certificate !== null) {
    return refused(
      'certificate',
      `the certificate of the brokers is not trusted: ${certificate}`,
      'put the authority that signed it into NODE_EXTRA_CA_CERTS, or correct the host names in KAFKA_BROKERS',
    );
  }
  for (const cause of causes(error)) {
    const { name, code, message } = cause;
    if (NO_TLS.has(String(code)) || message.includes('before secure TLS connection was established')) {
      return refused(
        'tls',
        'the brokers do not speak TLS at this port',
        'unset CIVIC_KAFKA_TLS, or name their port for TLS in KAFKA_BROKERS',
      );
    }
    if (name === 'KafkaJSSASLAuthenticationError') {
      const remedy = 'correct the mechanism, the user and the password in CIVIC_KAFKA_SASL';
      return refused('credential', `the brokers refuse the credential: ${message}`, remedy);
    }
    if (message.startsWith('Closed connection')) {
      return refused(
        'closed',
        'the brokers close the connection without an answer, as those do that want TLS or a credential',
        'set CIVIC_KAFKA_TLS and CIVIC_KAFKA_SASL as the brokers want it, or correct KAFKA_BROKERS',
      );
    }
    const right = missingRight(cause, use);
    if (right !== null) {
      const remedy = 'give it to the user of CIVIC_KAFKA_SASL; docs/feed-on-kafka.md lists all';
      return refused('right', `a right is missing: ${right}`, remedy);
    }
  }
  return null;
}

function missingRight({ name, type, topic }: KafkaError, { kafka, rights }: KafkaUse): string | null {
  const code = name === 'KafkaJSGroupCoordinatorNotFound' ? HIDDEN.get(lastErrorOf(kafka)) : type;
  if (!code?.endsWith('_AUTHORIZATION_FAILED')) return null;
  const right = code === 'CLUSTER_AUTHORIZATION_FAILED' ? 'IdempotentWrite on the cluster' : rights[code as keyof NeededRights];
  return `${right ?? code}${topic === undefined ? '' : ` (refused: the topic ${topic})`}`;
}
