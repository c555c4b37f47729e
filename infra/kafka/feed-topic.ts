import type { Kafka, Producer, Transaction } from 'kafkajs';
import { z } from 'zod';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { FeedPublication, FeedTopic, TopicCheckpoint } from '../../domain/ports/kafka.ts';
import { atMost, calling, withAdmin } from './failures.ts';
import type { KafkaUse } from './refusals.ts';
import { readLastMessage } from './last-message.ts';
import { idempotentProducer, openPartitionSender } from './partition-sender.ts';

export interface FeedTopicParts {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly identifiers: Identifiers;
  /** Milliseconds before compaction may remove a change that a later change of the same record replaces. */
  readonly keepMs: number;
}

const PARTITIONS = 6;
/** A record of 1 MiB with every character escaped, and its envelope. */
const MAX_MESSAGE_BYTES = 8_388_608;
/** Milliseconds after which the brokers abort the transaction of a relay that died, unless another relay begins one before. */
const TRANSACTION_MS = 30_000;
const END_MS = 5_000;

const placeText = z.strictObject({
  feedId: z.uuid(),
  position: z.int().min(0),
  boundary: z.int().min(0),
  fingerprint: z
    .hex()
    .nullish()
    .transform((value) => value ?? null),
});

/** Beside the feed's topic: its checkpoint, written in the transaction of its messages. */
export const placeTopicOf = (topic: string): string => `${topic}.place`;

/**
 * The feed in a topic, by a transactional producer whose name is the topic's: brokers take messages from the newest one of that name
 * alone. The checkpoint is read after the older producers were fenced, so that none of them can add messages after it.
 */
export const createFeedTopic = (parts: FeedTopicParts): FeedTopic => ({
  name: parts.topic,
  open: () => calling(useOf(parts), () => open(parts)),
});

const useOf = ({ kafka, topic }: FeedTopicParts): KafkaUse => ({
  kafka,
  rights: {
    TOPIC_AUTHORIZATION_FAILED: `Create, Describe, Read and Write on the topics ${topic} and ${placeTopicOf(topic)}`,
    GROUP_AUTHORIZATION_FAILED: `Read on the groups whose names begin with ${producerOf(topic)}.`,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED: `Describe and Write on the transactional id ${producerOf(topic)}`,
  },
});
const producerOf = (topic: string): string => `civic.relay.${topic}`;

async function open(parts: FeedTopicParts): Promise<FeedPublication> {
  const { kafka, topic, identifiers } = parts;
  await makeTopics(parts);
  const producer = idempotentProducer(kafka, { transactionalId: producerOf(topic), transactionTimeout: TRANSACTION_MS });
  const end = () => atMost(END_MS, producer.disconnect());
  try {
    await producer.connect();
    // The first transaction gives the producer its epoch; transactions of older producers are refused from here on.
    const first = await producer.transaction();
    const text = await readLastMessage(kafka, placeTopicOf(topic), `${producerOf(topic)}.${identifiers.next()}`);
    const place = placeOf(topic, text, await holdsMessages(parts));
    return { place, publish: await publisher(parts, producer, first), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Creates missing topics. */
function makeTopics({ kafka, topic, keepMs }: FeedTopicParts): Promise<void> {
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
      { topic: placeTopicOf(topic), numPartitions: 1, configEntries: [entry('cleanup.policy', 'compact')] },
    ];
    // One topic per call: another process may create one of them at the same time, which is no failure.
    for (const each of wanted) if (!known.has(each.topic)) await admin.createTopics({ topics: [each], waitForLeaders: true });
  });
}

/** True where the feed's topic has ever held a message. */
const holdsMessages = async ({ kafka, topic }: FeedTopicParts): Promise<boolean> =>
  (await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))).some(({ high }) => BigInt(high) > 0n);

function placeOf(topic: string, text: Buffer | null, hasBegun: boolean): TopicCheckpoint | null {
  // A topic without any message is new, also where the checkpoint of a deleted topic is still stored.
  if (!hasBegun) return null;
  const unknown = (what: string) =>
    new Error(
      `the topic ${topic} holds messages, and ${placeTopicOf(topic)} ${what}: delete both topics, or name another one, to begin anew`,
    );
  if (text === null) throw unknown('does not say of which feed and how far');
  try {
    return placeText.parse(JSON.parse(text.toString('utf8')));
  } catch {
    throw unknown('holds something else than its place');
  }
}

async function publisher(parts: FeedTopicParts, producer: Producer, first: Transaction): Promise<FeedPublication['publish']> {
  const { kafka, topic } = parts;
  const [sendMessages, sendPlace] = await Promise.all([openPartitionSender(kafka, topic), openPartitionSender(kafka, placeTopicOf(topic))]);
  let next: Transaction | null = first;
  return (messages, place) =>
    calling(useOf(parts), async () => {
      const transaction = next ?? (await producer.transaction());
      next = null;
      await sendMessages(transaction, messages);
      await sendPlace(transaction, [{ key: topic, value: JSON.stringify(place) }]);
      await transaction.commit();
    });
}
