import type { Kafka } from 'kafkajs';
import type { RefusedMessage } from '../../domain/ports/kafka.ts';
import { disconnected, withAdmin } from './connection.ts';
import { calling } from './failures.ts';
import { idempotentProducer, openPartitionSender } from './partition-sender.ts';

const REASON_LENGTH = 1_000;

/** The topic of messages that do not parse or whose change was rejected: unchanged, with the reason and their origin. Connects for the first message. */
export function createRejectedTopic(kafka: Kafka, topic: string) {
  const name = `${topic}.rejected`;
  const use = { kafka, rights: { TOPIC_AUTHORIZATION_FAILED: `Create, Describe and Write on the topic ${name}` } };
  let connected: ReturnType<typeof connect> | null = null;
  const connect = async () => {
    await withAdmin(kafka, (admin) => admin.createTopics({ topics: [{ topic: name, numPartitions: 1 }], waitForLeaders: true }));
    const send = await openPartitionSender(kafka, name);
    const producer = idempotentProducer(kafka);
    await producer.connect();
    return { producer, send };
  };
  const end = async (): Promise<void> => {
    const ending = connected;
    connected = null;
    await disconnected({ disconnect: async () => (await ending)?.producer.disconnect() });
  };
  return {
    end,
    /** Resolves once the brokers have stored the messages. */
    putAside: (refused: readonly RefusedMessage[]) =>
      calling(use, async () => {
        try {
          const { producer, send } = await (connected ??= connect());
          const messages = refused.map(({ part, offset, key, value, reason }) => ({
            key,
            value,
            headers: {
              'civic-reason': reason.slice(0, REASON_LENGTH),
              'civic-topic': part.topic,
              'civic-partition': String(part.partition),
              'civic-offset': String(offset),
            },
          }));
          await send(producer, messages);
        } catch (error) {
          // The messages may be stored or not: the next producer begins with a sequence of its own.
          await end();
          throw error;
        }
      }),
  };
}
