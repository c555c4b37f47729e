import type { Kafka } from 'kafkajs';
import type { RefusedMessage } from '../../domain/ports/kafka.ts';
import { atMost, calling, withAdmin } from './failures.ts';
import { idempotentProducer, openPartitionSender } from './partition-sender.ts';

const END_MS = 5_000;
const REASON_LENGTH = 1_000;

export const rejectedTopicOf = (topic: string): string => `${topic}.rejected`;

/** The topic of messages that do not parse or whose change was rejected: unchanged, with the reason and their origin. Connects for the first message. */
export function createRejectedTopic(kafka: Kafka, topic: string) {
  const use = { kafka, rights: { TOPIC_AUTHORIZATION_FAILED: `Create, Describe and Write on the topic ${rejectedTopicOf(topic)}` } };
  let connected: ReturnType<typeof connect> | null = null;
  const connect = async () => {
    const topics = [{ topic: rejectedTopicOf(topic), numPartitions: 1 }];
    await withAdmin(kafka, (admin) => admin.createTopics({ topics, waitForLeaders: true }));
    const send = await openPartitionSender(kafka, rejectedTopicOf(topic));
    const producer = idempotentProducer(kafka);
    await producer.connect();
    return { producer, send };
  };
  const end = async (): Promise<void> => {
    const ending = connected;
    connected = null;
    const disconnect = async (): Promise<void> => (await ending)?.producer.disconnect();
    await atMost(END_MS, disconnect());
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
