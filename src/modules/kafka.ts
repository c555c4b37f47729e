import type { RecordWriter } from '../../commands/records/record-writer.ts';
import type { Identifiers } from '../../domain/identifiers.ts';
import type { KafkaAddress } from '../../domain/kafka-address.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { FeedTopic, InletPart, RefusedMessage } from '../../domain/ports/kafka.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { readFeedAfter } from '../../queries/feed/feed-after.ts';
import { feedIdentities, readFeedHead } from '../../queries/feed/feed-head.ts';
import type { Platform } from '../platform.ts';
import { createInletPart, type InletPartTaker } from '../processors/reactors/inlet/inlet-part.ts';
import { createRelay } from '../processors/reactors/relay/relay.ts';

interface Connecting {
  readonly address: KafkaAddress;
  readonly logger: Logger;
  readonly identifiers: Identifiers;
}

/** Adapters of Kafka. Neither function connects. */
export interface KafkaAdapters {
  openFeedTopic(parts: Connecting, topic: string, keepMs: number): FeedTopic;
  openInlet(
    parts: Connecting,
    topic: string,
    clock: Clock,
  ): {
    /** Ends when the signal aborts; never rejects. */
    run(createPart: (part: InletPart) => InletPartTaker, signal: AbortSignal): Promise<void>;
    putAside(refused: readonly RefusedMessage[]): Promise<void>;
  };
}

export interface KafkaPort {
  readonly address: KafkaAddress;
  /** Loads the client. */
  readonly load: () => Promise<KafkaAdapters>;
}

/** The feed to Kafka (a reactor) and record changes from Kafka (the inlet); null without brokers. */
export function kafka(platform: Platform, port: KafkaPort | null, writer: RecordWriter) {
  if (port === null) return null;
  const { settings, reads, log, clock, machineClock, identifiers, logger, progress, stores } = platform;
  const { CIVIC_KAFKA_FEED_TOPIC: name, CIVIC_KAFKA_INLET_TOPIC: inletTopic, CIVIC_REPLAY_RETENTION: keepMs } = settings;
  const connecting = { address: port.address, logger, identifiers };
  const counters = { published: 0, position: 0, appended: 0, unchanged: 0, rejected: 0 };
  const topic: FeedTopic = {
    name,
    open: async () => (await port.load()).openFeedTopic(connecting, name, keepMs).open(),
  };
  const relay = createRelay({
    topic,
    clock: machineClock,
    logger,
    progress,
    readModel: recordHistory.name,
    readHead: () => readFeedHead(reads),
    readAfter: (after) => readFeedAfter(reads, after),
    feedIds: () => feedIdentities(log),
    onPublished: (messages, position) => {
      counters.published += messages;
      counters.position = position;
    },
  });
  const runInlet = async (signal: AbortSignal): Promise<void> => {
    if (inletTopic === undefined) return;
    const inlet = (await port.load()).openInlet(connecting, inletTopic, clock);
    await inlet.run(
      (part) =>
        createInletPart(
          {
            store: stores.inlet,
            log,
            writer,
            putAside: (refused) => inlet.putAside(refused),
            onSettled: ({ appended, unchanged, rejected }) => {
              counters.appended += appended;
              counters.unchanged += unchanged;
              counters.rejected += rejected;
            },
          },
          part,
        ),
      signal,
    );
  };
  return { relay, runInlet, counters };
}
