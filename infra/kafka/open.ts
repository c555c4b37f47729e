import type { Identifiers } from '../../src/domain/identifiers.ts';
import type { KafkaAddress } from '../../src/domain/kafka-address.ts';
import type { FeedTopic } from '../../src/domain/ports/feed-topic.ts';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { kafkaClient } from './connection.ts';
import { createFeedTopic } from './feed-topic.ts';

export interface KafkaParts {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
}

/** Nothing is connected before it is used. */
export const openFeedTopic = ({ address, logger, identifiers }: KafkaParts, topic: string, keepMs: number): FeedTopic =>
  createFeedTopic({ kafka: kafkaClient(address, logger), topic, identifiers, keepMs });
