import type { RecordWriter } from '../../../commands/records/write-records.ts';
import type { FeedTopic, KafkaBrokers } from '../../../domain/ports/kafka.ts';
import { feedIdentities } from '../../../queries/feed/feed-head.ts';
import type { Platform } from '../platform.ts';
import { createInletPart } from '../../processors/reactors/inlet/inlet-part.ts';
import { createRelay } from '../../processors/reactors/relay/relay.ts';

/** Publishes the feed to Kafka (a reactor) and reads record changes from it (the inlet). Null without brokers. `brokers` loads the client. */
export function kafka(platform: Platform, brokers: (() => Promise<KafkaBrokers>) | null, writer: RecordWriter) {
  if (brokers === null) return null;
  const { settings, reads, log, machineClock: clock, logger, progress, stores } = platform;
  const {
    CIVIC_KAFKA_FEED_TOPIC: name,
    CIVIC_KAFKA_INLET_TOPIC: inletTopic,
    CIVIC_REPLAY_RETENTION: keepMs,
  } = settings;
  const counters = { published: 0, position: 0, appended: 0, unchanged: 0, rejected: 0 };
  const topic: FeedTopic = { name, open: async () => (await brokers()).feedTopic(name, keepMs).open() };
  const onPublished = (messages: number, position: number): void => {
    counters.published += messages;
    counters.position = position;
  };
  const runInlet = async (signal: AbortSignal): Promise<void> => {
    if (inletTopic === undefined) return;
    const inlet = (await brokers()).inlet(inletTopic);
    const parts = { store: stores.inlet, log, writer, putAside: inlet.putAside, counters };
    await inlet.run((part) => createInletPart(parts, part), signal);
  };
  return {
    relay: createRelay({ topic, clock, logger, progress, reads, feedIds: () => feedIdentities(log), onPublished }),
    runInlet,
    counters,
  };
}
