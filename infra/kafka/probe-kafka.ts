import type { Kafka } from 'kafkajs';
import type { KafkaAddress } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { disconnected, kafkaClient } from './connection.ts';
import { isMissingTopic, refusalOf } from './failures.ts';
import { inletGroup, inletRights } from './inlet.ts';

const END_MS = 2_000;
const QUICKLY = { retries: 1, initialRetryTime: 100 };

/**
 * Checks the brokers without changing anything. Throws if no broker answers, and `KafkaRefused` if they reject the
 * client.
 */
export async function probeKafka(
  address: KafkaAddress,
  logger: Logger,
  { feed, inlet }: { readonly feed: string; readonly inlet?: string | undefined },
): Promise<{ readonly brokers: number; readonly topics: readonly string[] }> {
  const kafka = kafkaClient(address, logger);
  const admin = kafka.admin({ retry: QUICKLY });
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const existing = new Set(await admin.listTopics());
    // A list omits topics that this user has no right to see. Only a request by name is rejected.
    if (inlet !== undefined && !existing.has(inlet)) await requireVisible(kafka, inlet);
    return {
      brokers: brokers.length,
      topics: [feed, ...(inlet === undefined ? [] : [inlet])].filter((topic) => existing.has(topic)),
    };
  } catch (error) {
    throw refusalOf(error, { kafka, rights: inletRights(inlet ?? '') }) ?? error;
  } finally {
    await disconnected(admin, END_MS);
  }
}

/** Throws if this user has no right to see the topic. Accepts a missing topic. */
async function requireVisible(kafka: Kafka, topic: string): Promise<void> {
  const consumer = kafka.consumer({ groupId: inletGroup(topic), allowAutoTopicCreation: false, retry: QUICKLY });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic });
  } catch (error) {
    if (!isMissingTopic(error)) throw error;
  } finally {
    await disconnected(consumer, END_MS);
  }
}
