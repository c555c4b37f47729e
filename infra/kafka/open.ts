import type { Identifiers } from '../../domain/identifiers.ts';
import type { KafkaAddress } from '../../domain/kafka-address.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { FeedTopic } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { kafkaClient } from './connection.ts';
import { createFeedTopic } from './feed-topic.ts';
import { type InletConsumerParts, runInletConsumer } from './inlet-consumer.ts';
import { createRejectedTopic } from './rejected-topic.ts';

interface KafkaParts {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
}

/** Each part connects when it is first used. */
export const openFeedTopic = ({ address, logger, identifiers }: KafkaParts, topic: string, keepMs: number): FeedTopic =>
  createFeedTopic({ kafka: kafkaClient(address, logger), topic, identifiers, keepMs });

export function openInlet({ address, logger }: KafkaParts, topic: string, clock: Clock) {
  const kafka = kafkaClient(address, logger);
  const rejected = createRejectedTopic(kafka, topic);
  return {
    putAside: rejected.putAside,
    /** Until the signal aborts; throws nothing. */
    async run(createPart: InletConsumerParts['createPart'], signal: AbortSignal): Promise<void> {
      await runInletConsumer({ kafka, topic, clock, logger, createPart }, signal);
      await rejected.end();
    },
  };
}
