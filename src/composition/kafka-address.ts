import type { KafkaAddress } from '../domain/kafka-address.ts';
import { BadSetting, type Settings } from '../settings.ts';

/** Where the brokers are; null where there are none. Throws `BadSetting` for a password that anybody on the way could read. */
export const kafkaAddress = (settings: Settings): KafkaAddress | null => {
  const { KAFKA_BROKERS: brokers, CIVIC_KAFKA_TLS, CIVIC_KAFKA_SASL: sasl } = settings;
  if (brokers === undefined) return null;
  const tls = CIVIC_KAFKA_TLS === 'on';
  if (sasl?.mechanism === 'plain' && !tls) {
    throw new BadSetting('CIVIC_KAFKA_SASL is plain, but CIVIC_KAFKA_TLS is off; allowed without TLS is scram-sha-256 or scram-sha-512');
  }
  return { brokers, tls, sasl };
};
