import type { Identifiers } from '../../domain/identifiers.ts';
import type { KafkaAddress } from '../../domain/kafka-address.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { FeedTopic } from '../../domain/ports/feed-topic.ts';
import type { InletPart, RefusedMessage } from '../../domain/ports/inlet.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { kafkaClient } from './connection.ts';
import { createFeedTopic } from './feed-topic.ts';
import { type PartTaker, runInletConsumer } from './inlet-consumer.ts';
import { createRejectedTopic } from './rejected-topic.ts';

export interface KafkaParts {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
}

/** Each part connects when it is first used. */
export const openFeedTopic = ({ address, logger, identifiers }: KafkaParts, topic: string, keepMs: number): FeedTopic =>
  createFeedTopic({ kafka: kafkaClient(address, logger), topic, identifiers, keepMs });

export interface Inlet {
  /** Until the signal aborts; throws nothing. */
  run(createPart: (part: InletPart) => PartTaker, signal: AbortSignal): Promise<void>;
  putAside(refused: readonly RefusedMessage[]): Promise<void>;
}

export const openInlet = ({ address, logger }: KafkaParts, topic: string, clock: Clock): Inlet => {
  const kafka = kafkaClient(address, logger);
  const rejected = createRejectedTopic(kafka, topic);
  return {
    putAside: (refused) => rejected.putAside(refused),
    async run(createPart, signal) {
      await runInletConsumer({ kafka, topic, clock, logger, createPart }, signal);
      await rejected.end();
    },
  };
};
