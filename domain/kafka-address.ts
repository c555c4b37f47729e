import { z } from 'zod';

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Addresses of the brokers, and the credentials of this service. */
export interface KafkaAddress {
  readonly brokers: readonly string[];
  readonly tls: boolean;
  readonly sasl?: KafkaSasl | undefined;
}

const BROKER = /^(?:[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]):([1-9]\d{0,4})$/i;
const isBroker = (text: string): boolean => Number(BROKER.exec(text)?.[2] ?? 65_536) <= 65_535;

export const kafkaBrokers = z
  .string()
  .transform((text) => text.split(',').map((broker) => broker.trim()))
  .refine((list) => list.every(isBroker));

/** As Kafka has them: 249 characters, and room is left for what we append. */
export const topicName = z
  .string()
  .regex(/^[a-zA-Z0-9._-]{1,230}$/)
  .refine((name) => name !== '.' && name !== '..');

/** `mechanism:user:password`; the password may hold colons. */
export const kafkaSasl = z
  .string()
  .regex(new RegExp(`^(${SASL_MECHANISMS.join('|')}):[^:]+:.+$`))
  .transform((text) => {
    const [mechanism, username, ...password] = text.split(':');
    return { mechanism: mechanism as (typeof SASL_MECHANISMS)[number], username: username!, password: password.join(':') };
  });
type KafkaSasl = Readonly<z.output<typeof kafkaSasl>>;

export type WantedByBrokers = 'certificate' | 'tls' | 'credential' | 'closed' | 'right';

/** The brokers refuse this service; the message says what is missing, and for what. */
export class KafkaRefused extends Error {
  override readonly name = 'KafkaRefused';
  readonly wanted: WantedByBrokers;
  readonly remedy: string;
  constructor(wanted: WantedByBrokers, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.wanted = wanted;
    this.remedy = remedy;
  }
}
