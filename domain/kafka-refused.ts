export type WantedByBrokers = 'certificate' | 'tls' | 'credential' | 'closed' | 'right';

/** The brokers answer, and do not let this service in; the message says what is missing, and for what. */
export class KafkaRefused extends Error {
  override readonly name = 'KafkaRefused';
  readonly wanted: WantedByBrokers;
  /** What an operator does about it. */
  readonly remedy: string;
  constructor(wanted: WantedByBrokers, message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.wanted = wanted;
    this.remedy = remedy;
  }
}
