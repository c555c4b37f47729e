import type { Kafka } from 'kafkajs';
import { certificateReason } from '../system/certificate-reason.ts';
import { lastErrorOf } from './connection.ts';
import { KafkaRefused } from '../../src/domain/kafka-refused.ts';

/** The rights that a part of the program needs, in words, by what the brokers refuse. */
export interface NeededRights {
  readonly TOPIC_AUTHORIZATION_FAILED: string;
  readonly GROUP_AUTHORIZATION_FAILED?: string;
  readonly TRANSACTIONAL_ID_AUTHORIZATION_FAILED?: string;
}

/** Who calls the brokers, and what for. */
export interface KafkaUse {
  readonly kafka: Kafka;
  readonly rights: NeededRights;
}

interface Told {
  readonly name?: string;
  readonly type?: string;
  readonly code?: unknown;
  readonly topic?: string;
  readonly broker?: string;
  readonly errors?: readonly unknown[];
}

/** Answers of the brokers that the client throws under another name. */
const HIDDEN = new Map([
  ['Transactional Id authorization failed', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
  ['Not authorized to access group: Group authorization failed', 'GROUP_AUTHORIZATION_FAILED'],
]);
const DEEPEST = 8;
/** OpenSSL's answer where the other side does not speak TLS. */
const NO_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** An error, its causes and what it has gathered, the outermost first. */
export const causes = function* (error: unknown, depth = 0): Generator<Error & Told> {
  if (!(error instanceof Error) || depth > DEEPEST) return;
  yield error;
  yield* causes(error.cause, depth + 1);
  for (const each of (error as Told).errors ?? []) yield* causes(each, depth + 1);
};

/** What the brokers want and do not get: a certificate that is trusted, a credential or a right. Null for any other failure. */
export const refusalOf = (error: unknown, { kafka, rights }: KafkaUse): KafkaRefused | null => {
  const certificate = certificateReason(error);
  if (certificate !== null) {
    return new KafkaRefused(
      'certificate',
      `the certificate of the brokers is not trusted: ${certificate}`,
      'put the authority that signed it into NODE_EXTRA_CA_CERTS, or correct the host names in KAFKA_BROKERS',
      { cause: error },
    );
  }
  for (const { name, type, code, topic, message } of causes(error)) {
    if (NO_TLS.has(String(code)) || message.includes('before secure TLS connection was established')) {
      return new KafkaRefused(
        'tls',
        'the brokers do not speak TLS at this port',
        'unset CIVIC_KAFKA_TLS, or name their port for TLS in KAFKA_BROKERS',
        {
          cause: error,
        },
      );
    }
    if (name === 'KafkaJSSASLAuthenticationError') {
      return new KafkaRefused(
        'credential',
        `the brokers refuse the credential: ${message}`,
        'correct the mechanism, the user and the password in CIVIC_KAFKA_SASL',
        {
          cause: error,
        },
      );
    }
    if (message.startsWith('Closed connection')) {
      return new KafkaRefused(
        'closed',
        'the brokers close the connection without an answer, as those do that want TLS or a credential',
        'set CIVIC_KAFKA_TLS and CIVIC_KAFKA_SASL as the brokers want it, or correct KAFKA_BROKERS',
        { cause: error },
      );
    }
    const refused = name === 'KafkaJSGroupCoordinatorNotFound' ? HIDDEN.get(lastErrorOf(kafka)) : type;
    if (refused?.endsWith('_AUTHORIZATION_FAILED')) {
      const right = refused === 'CLUSTER_AUTHORIZATION_FAILED' ? 'IdempotentWrite on the cluster' : rights[refused as keyof NeededRights];
      const where = topic === undefined ? '' : ` (refused: the topic ${topic})`;
      return new KafkaRefused(
        'right',
        `a right is missing: ${right ?? refused}${where}`,
        'give it to the user of CIVIC_KAFKA_SASL; docs/feed-on-kafka.md lists all',
        {
          cause: error,
        },
      );
    }
  }
  return null;
};
