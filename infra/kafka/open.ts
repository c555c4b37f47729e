import type { Identifiers } from '../../domain/identifiers.ts';
import type { KafkaAddress, KafkaBrokers } from '../../domain/ports/kafka.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { kafkaClient } from './connection.ts';
import { createFeedTopic } from './feed-topic.ts';
import { openInlet } from './inlet.ts';

/** Opens the feed topic and the inlet, each with its own client. */
export function openKafka(
  address: KafkaAddress,
  { logger, identifiers, clock }: { readonly logger: Logger; readonly identifiers: Identifiers; readonly clock: Clock },
): KafkaBrokers {
  return {
    feedTopic: (topic, keepMs) => createFeedTopic({ kafka: kafkaClient(address, logger), topic, identifiers, keepMs }),
    inlet: (topic) => openInlet({ kafka: kafkaClient(address, logger), topic, clock, logger }),
  };
}
