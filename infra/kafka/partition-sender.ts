import { type Kafka, type Message, Partitioners, type Producer, type ProducerConfig } from 'kafkajs';
import { NotYet } from '../../domain/ports/reactors.ts';
import { withAdmin } from './connection.ts';

/** Well below the default limit of a batch, for topics that another program created. */
const SEND_BYTES = 400_000;

/** Resolves once the brokers have stored every message, those of one key in order. `through` is a producer or its transaction. */
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
 * Sends to one partition at a time. In a send to several, kafkajs repeats a request whose answer is on its way, which stores messages
 * twice, and where a leader moves to a broker that has already answered, it leaves messages out and succeeds.
 */
export async function openPartitionSender(kafka: Kafka, topic: string): Promise<PartitionSender> {
  const { topics } = await withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [topic] }));
  const partitionMetadata = topics[0]!.partitions;
  const choose = Partitioners.DefaultPartitioner();
  return async (through, messages) => {
    const byPartition = Map.groupBy(messages, (message) => choose({ topic, partitionMetadata, message }));
    const sending = [...byPartition].map(async ([partition, some]) => {
      for (const portion of inPortions(some)) {
        const answered = await through.send({ topic, acks: -1, messages: portion.map((message) => ({ ...message, partition })) });
        // Nothing is sent, and nothing thrown, where the producer does not know the partition.
        if (answered.length !== 1 || answered[0]!.partition !== partition)
          throw new NotYet(`partition ${partition} of ${topic} is not known`);
      }
    });
    // No message is in flight when this throws.
    for (const each of await Promise.allSettled(sending)) if (each.status === 'rejected') throw each.reason;
  };
}

/** A broker limits the size of a batch; a single message is sent whatever its size. */
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
  [key, value, ...Object.entries(headers).flat(2)].reduce((sum: number, part) => sum + Buffer.byteLength(part ?? ''), 0);
