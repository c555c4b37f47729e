import type { Kafka, Transaction } from 'kafkajs';
import { z } from 'zod';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { FeedPublication, FeedTopic, TopicCheckpoint } from '../../domain/ports/kafka.ts';
import { NotYet } from '../../domain/ports/reactors.ts';
import { disconnected, withAdmin } from './connection.ts';
import { calling, type KafkaUse } from './failures.ts';
import { idempotentProducer, openPartitionSender } from './partition-sender.ts';

const PARTITIONS = 6;
/** A record of 1 MiB with every character escaped, and its envelope. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** Milliseconds after which the brokers abort the transaction of a relay that died, unless another relay begins one before. */
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
 * The feed in a topic. Its transactional producer is named after the topic: brokers accept messages only from the newest producer of a
 * name. The checkpoint, in a topic beside it, is written in the transaction of the messages, and read only after older producers were
 * fenced.
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
      // The first transaction gives the producer its epoch; transactions of older producers are refused from here on.
      let first: Transaction | undefined = await producer.transaction();
      const text = await readLastMessage(kafka, placeTopic, `${producerName}.${identifiers.next()}`);
      const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
      // A topic without any message is new, also where the checkpoint of a deleted topic is still stored.
      const hasBegun = offsets.some(({ high }) => BigInt(high) > 0n);
      const place = hasBegun ? placeIn(text, topic, placeTopic) : null;
      const [sendMessages, sendPlace] = await Promise.all([openPartitionSender(kafka, topic), openPartitionSender(kafka, placeTopic)]);
      return {
        place,
        end,
        publish: (messages, reached) =>
          calling(use, async () => {
            const transaction = first ?? (await producer.transaction());
            first = undefined;
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

  return { name: topic, open: () => calling(use, open) };
}

function makeTopics(kafka: Kafka, topic: string, placeTopic: string, keepMs: number): Promise<void> {
  const entry = (name: string, value: string | number) => ({ name, value: String(value) });
  return withAdmin(kafka, async (admin) => {
    const known = new Set(await admin.listTopics());
    const wanted = [
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
    // One topic per call: another process may create one of them at the same time, which is no failure.
    for (const each of wanted) if (!known.has(each.topic)) await admin.createTopics({ topics: [each], waitForLeaders: true });
  });
}

function placeIn(text: Buffer | null, topic: string, placeTopic: string): TopicCheckpoint {
  const unknown = (what: string) =>
    new Error(`the topic ${topic} holds messages, and ${placeTopic} ${what}: delete both topics, or name another one, to begin anew`);
  if (text === null) throw unknown('does not say of which feed and how far');
  try {
    return placeText.parse(JSON.parse(text.toString('utf8')));
  } catch {
    throw unknown('holds something else than its place');
  }
}

const READ_MS = 60_000;
/** Offsets after the last committed message: its marker, and messages of aborted transactions. */
const FIRST_LOOK_BACK = 16n;

/** The last committed message of a topic with one partition; null where there is none. `group` is used once and leaves nothing behind. */
async function readLastMessage(kafka: Kafka, topic: string, group: string): Promise<Buffer | null> {
  const offsets = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const [low, high] = [BigInt(offsets[0]!.low), BigInt(offsets[0]!.high)];
  if (low === high) return null;
  for (let back = FIRST_LOOK_BACK; ; back *= 16n) {
    const from = high - back > low ? high - back : low;
    const found = await readFrom(kafka, topic, `${group}.${back}`, { from, end: high });
    if (found !== null || from === low) return found;
  }
}

/** The last committed message between two offsets, `end` exclusive. */
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
  const found: { offset: bigint; value: Buffer | null } = { offset: -1n, value: null };
  // Called also for batches of markers only.
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
        if (value !== null && BigInt(offset) < end && BigInt(offset) > found.offset)
          Object.assign(found, { offset: BigInt(offset), value });
      },
    });
    // A run that failed at once has emitted its event already, and cannot be positioned.
    if (!crashed) consumer.seek({ topic, partition: 0, offset: String(from) });
    await promise;
    return found.value;
  } finally {
    clearTimeout(timer);
    await disconnected(consumer);
  }
}
