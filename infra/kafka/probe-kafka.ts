import type { KafkaAddress } from '../../src/domain/kafka-address.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { kafkaClient } from './connection.ts';
import { atMost } from './failures.ts';

const END_MS = 2_000;

/** How many brokers there are, and which topics of ours. Changes nothing; throws when none of them answers. */
export const probeKafka = async (
  address: KafkaAddress,
  logger: Logger,
  wanted: readonly string[],
): Promise<{ readonly brokers: number; readonly topics: readonly string[] }> => {
  const admin = kafkaClient(address, logger).admin({ retry: { retries: 1, initialRetryTime: 100 } });
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    const known = new Set(await admin.listTopics());
    return { brokers: brokers.length, topics: wanted.filter((topic) => known.has(topic)) };
  } finally {
    await atMost(END_MS, admin.disconnect());
  }
};
