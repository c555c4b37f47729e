import { type Kafka, type Message, Partitioners, type Producer, type ProducerConfig } from 'kafkajs';
import { NotYet } from '../../domain/ports/reactors.ts';
import { withAdmin } from './connection.ts';

/** Bytes per request, well below the default batch limit of topics that another program created. */
const SEND_BYTES = 400_000;

/**
 * Resolves once the brokers have stored every message. Messages with the same key stay in order. `through` is a
 * producer or its transaction.
 */
type PartitionSender = (through: Pick<Producer, 'send'>, messages: readonly Message[]) => Promise<void>;

export const idempotentProducer = (kafka: Kafka, config: ProducerConfig = {}): Producer =>
  kafka.producer({
    ...config,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
  });

/**
 * Creates a sender that sends each request to one partition. With several partitions per request, kafkajs has two bugs:
 * it resends a request whose response is still on its way, which stores messages twice, and it silently drops messages
 * if a leader moves to a broker that has already answered.
 */
export async function openPartitionSender(kafka: Kafka, topic: string): Promise<PartitionSender> {
  const { topics } = await withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [topic] }));
  const partitionMetadata = topics[0]!.partitions;
  const choose = Partitioners.DefaultPartitioner();
  return async (through, messages) => {
    const byPartition = Map.groupBy(messages, (message) => choose({ topic, partitionMetadata, message }));
    const sending = [...byPartition].map(async ([partition, ofPartition]) => {
      for (const portion of inPortions(ofPartition)) {
        const results = await through.send({
          topic,
          acks: -1,
          messages: portion.map((message) => ({ ...message, partition })),
        });
        // kafkajs sends nothing and does not throw if its metadata lacks the partition.
        if (results.length !== 1 || results[0]!.partition !== partition)
          throw new NotYet(`partition ${partition} of ${topic} is not known`);
      }
    });
    // Wait for all requests first, so that no message is in flight when this throws.
    for (const each of await Promise.allSettled(sending)) if (each.status === 'rejected') throw each.reason;
  };
}

/** Splits messages into portions of limited size. A single message is sent whatever its size. */
function inPortions(messages: readonly Message[]): readonly Message[][] {
  const portions: Message[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = sizeOf(message);
    if (bytes + size > SEND_BYTES) {
      portions.push([]);
      bytes = 0;
    }
    portions.at(-1)!.push(message);
    bytes += size;
  }
  return portions;
}

const sizeOf = ({ key, value, headers = {} }: Message): number =>
  [key, value, ...Object.entries(headers).flat(2)].reduce(
    (sum: number, part) => sum + Buffer.byteLength(part ?? ''),
    0,
  );
