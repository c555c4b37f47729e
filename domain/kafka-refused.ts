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
