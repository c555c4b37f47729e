import { type Kafka, Partitioners, type Producer, type ProducerConfig, type ProducerRecord, type Transaction } from 'kafkajs';
import { NotYet } from '../../src/domain/ports/reactors.ts';

/** A producer for one caller at a time, whose sends are checked. */
export interface CheckedProducer {
  readonly producer: Producer;
  /** Resolves once the brokers keep every message; throws `NotYet` where some may be missing or stand there twice. */
  readonly send: (record: ProducerRecord, through?: Transaction) => Promise<void>;
}

/**
 * kafkajs tries a send again for the brokers that have not answered it. Where the leader of a partition moves meanwhile, the new one may have
 * answered for its other partitions, and is not asked again: messages are missing and the send succeeds. The other way round they are sent
 * twice. So the partitions that were chosen are compared with those that were answered for.
 */
export const checkedProducer = (kafka: Kafka, config: ProducerConfig): CheckedProducer => {
  const chosen = new Set<number>();
  const createPartitioner = () => {
    const choose = Partitioners.DefaultPartitioner();
    return (message: Parameters<typeof choose>[0]): number => {
      const partition = choose(message);
      chosen.add(partition);
      return partition;
    };
  };
  const producer = kafka.producer({
    ...config,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner,
  });
  return {
    producer,
    async send(record, through) {
      chosen.clear();
      const answered = (await (through ?? producer).send({ ...record, acks: -1 })).map(({ partition }) => partition);
      if (answered.length !== chosen.size || answered.some((partition) => !chosen.has(partition))) {
        throw new NotYet(`the leader of a partition of ${record.topic} has moved while messages were sent to it`);
      }
    },
  };
};
