import { randomUUID } from 'node:crypto';
import { type IHeaders, Kafka, logLevel, type Message } from 'kafkajs';
import { idempotentProducer, openPartitionSender } from '../../infra/kafka/partition-sender.ts';

/** An ordinary client without log output. */
export function plainKafka(brokers: string): Kafka {
  return new Kafka({
    clientId: 'test',
    brokers: brokers.split(','),
    logLevel: logLevel.NOTHING,
    retry: { retries: 8, initialRetryTime: 50, maxRetryTime: 1000 },
  });
}

export interface ReadMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly key: string;
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

const textHeaders = (headers: IHeaders | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, String(value)]));

/** Every committed message of a topic from its beginning to its end. */
export async function readTopic(brokers: string, topic: string): Promise<readonly ReadMessage[]> {
  const kafka = plainKafka(brokers);
  const admin = kafka.admin();
  await admin.connect();
  const ends = new Map(
    (await admin.fetchTopicOffsets(topic)).map(({ partition, high, low }) => [
      partition,
      high === low ? 0n : BigInt(high),
    ]),
  );
  await admin.disconnect();
  const unread = new Set([...ends].filter(([, end]) => end > 0n).map(([partition]) => partition));
  // Identified by partition and offset: a new group gets all messages again.
  const messages = new Map<string, ReadMessage>();
  if (unread.size === 0) return [];
  const consumer = kafka.consumer({
    groupId: `test-${randomUUID()}`,
    maxWaitTimeInMs: 50,
    allowAutoTopicCreation: false,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  consumer.on('consumer.crash', ({ payload }) => payload.restart || reject(payload.error));
  consumer.on('consumer.end_batch_process', ({ payload: { partition, lastOffset } }) => {
    if (BigInt(lastOffset) >= ends.get(partition)! - 1n) unread.delete(partition);
    if (unread.size === 0) resolve();
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      for (const { offset, key, value, headers } of batch.messages) {
        if (BigInt(offset) >= ends.get(batch.partition)!) return;
        messages.set(`${batch.partition}/${offset}`, {
          partition: batch.partition,
          offset: BigInt(offset),
          key: String(key),
          value: value === null ? null : value.toString('utf8'),
          headers: textHeaders(headers),
        });
      }
    },
  });
  await promise;
  await consumer.disconnect();
  return [...messages.values()];
}

/** Sends messages; resolves when the brokers have all of them. */
export async function sendAll(brokers: string, topic: string, messages: readonly Message[]): Promise<void> {
  const kafka = plainKafka(brokers);
  const producer = idempotentProducer(kafka);
  await producer.connect();
  try {
    await (await openPartitionSender(kafka, topic))(producer, messages);
  } finally {
    await producer.disconnect();
  }
}
