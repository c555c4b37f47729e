import type { Kafka, Transaction } from 'kafkajs';
import { z } from 'zod';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { FeedPublication, FeedTopic, TopicCheckpoint } from '../../domain/ports/kafka.ts';
import { NotYet } from '../../domain/ports/reactors.ts';
import { disconnected, withAdmin } from './connection.ts';
import { callBrokers, type KafkaUse } from './failures.ts';
import { idempotentProducer, openPartitionSender } from './partition-sender.ts';

const PARTITIONS = 6;
/** Largest message: a record of 1 MiB with every character escaped, and its envelope. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** Milliseconds after which the brokers abort the transaction of a dead relay. A new relay aborts it sooner. */
const TRANSACTION_MS = 30_000;

const placeText = z.strictObject({
  feedId: z.uuid(),
  position: z.int().min(0),
  boundary: z.int().min(0),
  fingerprint: z
    .hex()
    .nullish()
    .transform((value) => value ?? null),
});

interface FeedTopicParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly identifiers: Identifiers;
  /** Milliseconds before compaction may remove a change that a later change of the same record replaces. */
  readonly keepMs: number;
}

/**
 * Publishes the feed to a topic with a transactional producer. Its transactional id comes from the topic's name, and
 * brokers accept messages only from the newest producer of an id. The checkpoint is written to a second topic in the
 * same transaction as the messages, and is read only after older producers are fenced.
 */
export function createFeedTopic({ kafka, topic, identifiers, keepMs }: FeedTopicParts): FeedTopic {
  const placeTopic = `${topic}.place`;
  const producerName = `civic.relay.${topic}`;
  const use: KafkaUse = {
    kafka,
    rights: {
      TOPIC_AUTHORIZATION_FAILED: `Create, Describe, Read and Write on the topics ${topic} and ${placeTopic}`,
      GROUP_AUTHORIZATION_FAILED: `Read on the groups whose names begin with ${producerName}.`,
      TRANSACTIONAL_ID_AUTHORIZATION_FAILED: `Describe and Write on the transactional id ${producerName}`,
    },
  };

  async function open(): Promise<FeedPublication> {
    await makeTopics(kafka, topic, placeTopic, keepMs);
    const producer = idempotentProducer(kafka, { transactionalId: producerName, transactionTimeout: TRANSACTION_MS });
    const end = () => disconnected(producer);
    try {
      await producer.connect();
      // The first transaction fences older producers: brokers reject their transactions from here on.
      let fencing: Transaction | undefined = await producer.transaction();
      const text = await readLastMessage(kafka, placeTopic, `${producerName}.${identifiers.next()}`);
      const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
      // A topic without messages is new, even if the checkpoint of a deleted topic is still stored.
      const hasBegun = offsets.some(({ high }) => BigInt(high) > 0n);
      const place = hasBegun ? parseCheckpoint(text, topic, placeTopic) : null;
      const [sendMessages, sendPlace] = await Promise.all([
        openPartitionSender(kafka, topic),
        openPartitionSender(kafka, placeTopic),
      ]);
      return {
        place,
        end,
        publish: (messages, reached) =>
          callBrokers(use, async () => {
            const transaction = fencing ?? (await producer.transaction());
            fencing = undefined;
            await sendMessages(transaction, messages);
            await sendPlace(transaction, [{ key: topic, value: JSON.stringify(reached) }]);
            await transaction.commit();
          }),
      };
    } catch (error) {
      await end();
      throw error;
    }
  }

  return { name: topic, open: () => callBrokers(use, open) };
}

function makeTopics(kafka: Kafka, topic: string, placeTopic: string, keepMs: number): Promise<void> {
  const entry = (name: string, value: string | number) => ({ name, value: String(value) });
  return withAdmin(kafka, async (admin) => {
    const existing = new Set(await admin.listTopics());
    const topics = [
      {
        topic,
        numPartitions: PARTITIONS,
        configEntries: [
          entry('cleanup.policy', 'compact'),
          entry('min.compaction.lag.ms', keepMs),
          entry('delete.retention.ms', keepMs),
          entry('max.message.bytes', MAX_MESSAGE_BYTES),
        ],
      },
      { topic: placeTopic, numPartitions: 1, configEntries: [entry('cleanup.policy', 'compact')] },
    ];
    // Create one topic per call: it is not an error if another process creates one at the same time.
    for (const each of topics)
      if (!existing.has(each.topic)) await admin.createTopics({ topics: [each], waitForLeaders: true });
  });
}

function parseCheckpoint(text: Buffer | null, topic: string, placeTopic: string): TopicCheckpoint {
  const unusable = (what: string) =>
    new Error(
      `the topic ${topic} has messages, but ${placeTopic} ${what}; to start over, delete both topics or name another one`,
    );
  if (text === null) throw unusable('has no checkpoint');
  try {
    return placeText.parse(JSON.parse(text.toString('utf8')));
  } catch {
    throw unusable('does not contain a valid checkpoint');
  }
}

const READ_MS = 60_000;
/**
 * Offsets first searched from the end, where the commit marker and aborted messages follow the last committed message.
 */
const FIRST_LOOK_BACK = 16n;

/** Reads the last committed message of a topic with one partition; null if there is none. `group` is used only once. */
async function readLastMessage(kafka: Kafka, topic: string, group: string): Promise<Buffer | null> {
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const [low, high] = [BigInt(offsets[0]!.low), BigInt(offsets[0]!.high)];
  if (low === high) return null;
  for (let back = FIRST_LOOK_BACK; ; back *= 16n) {
    const from = high - back > low ? high - back : low;
    const message = await readFrom(kafka, topic, `${group}.${back}`, { from, end: high });
    if (message !== null || from === low) return message;
  }
}

/** Reads the last committed message from an offset on and before `end`. */
async function readFrom(
  kafka: Kafka,
  topic: string,
  groupId: string,
  { from, end }: { readonly from: bigint; readonly end: bigint },
): Promise<Buffer | null> {
  const retry = { restartOnFailure: async () => false };
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false, maxWaitTimeInMs: 100, retry });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => reject(new NotYet(`${topic} was not read to its end in time`)), READ_MS);
  const newest: { offset: bigint; value: Buffer | null } = { offset: -1n, value: null };
  // Emitted for batches with only markers too.
  consumer.on('consumer.end_batch_process', ({ payload }) => {
    if (BigInt(payload.lastOffset) >= end - 1n) resolve();
  });
  let crashed = false;
  consumer.on('consumer.crash', ({ payload }) => {
    crashed = true;
    reject(payload.error);
  });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        const { offset, value } = batch.messages.at(-1) ?? { offset: '-1', value: null };
        if (value !== null && BigInt(offset) < end && BigInt(offset) > newest.offset)
          Object.assign(newest, { offset: BigInt(offset), value });
      },
    });
    // A run that failed at once has already emitted its crash, and `seek` would throw.
    if (!crashed) consumer.seek({ topic, partition: 0, offset: String(from) });
    await promise;
    return newest.value;
  } finally {
    clearTimeout(timer);
    await disconnected(consumer);
  }
}
