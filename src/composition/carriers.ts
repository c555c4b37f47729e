import { createInletStore } from '../../infra/postgresql/inlet-store.ts';
import type { RecordWriter } from '../../commands/records/record-writer.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { readFeedAfter } from '../../queries/feed-after.ts';
import { readFeedHead } from '../../queries/feed-head.ts';
import { feedIdentities } from '../../queries/feed-identities.ts';
import type { Identifiers } from '../domain/identifiers.ts';
import type { CarriedFigures } from '../domain/ports/carried.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Transactor } from '../domain/ports/database.ts';
import type { EventLog } from '../domain/ports/event-log.ts';
import type { FeedTopic } from '../domain/ports/feed-topic.ts';
import type { Logger } from '../domain/ports/logger.ts';
import type { LiveReads, Progress } from '../domain/ports/projection.ts';
import type { Reactor } from '../domain/ports/reactors.ts';
import { createInletPart } from '../reactors/inlet/inlet-part.ts';
import { createRelay } from '../reactors/relay/relay.ts';
import type { Settings } from '../settings.ts';
import { kafkaAddress } from './kafka-address.ts';

/** What goes between this service and Kafka. */
export interface Carriers {
  readonly relay: Reactor;
  /** Takes record changes until the signal aborts; at once where no topic of them is named. */
  readonly runInlet: (signal: AbortSignal) => Promise<void>;
  readonly figures: CarriedFigures;
}

export interface CarriersParts {
  readonly settings: Settings;
  readonly log: EventLog;
  readonly transactor: Transactor;
  readonly reads: LiveReads;
  readonly progress: Progress;
  readonly writer: RecordWriter;
  readonly clock: Clock;
  /** Pauses are the machine's. */
  readonly machineClock: Clock;
  readonly identifiers: Identifiers;
  readonly logger: Logger;
}

/** Puts together what KAFKA_BROKERS asks for; null without it. The client is loaded when it is first used. */
export const createCarriers = (parts: CarriersParts): Carriers | null => {
  const { settings, reads, log, clock, machineClock, identifiers, logger } = parts;
  const address = kafkaAddress(settings);
  if (address === null) return null;
  const kafka = async () => import('../../infra/kafka/open.ts');
  const figures = { published: 0, position: 0, appended: 0, unchanged: 0, rejected: 0 };
  const { CIVIC_KAFKA_FEED_TOPIC: name, CIVIC_KAFKA_INLET_TOPIC: inletTopic, CIVIC_REPLAY_RETENTION: keepMs } = settings;
  const topic: FeedTopic = {
    name,
    open: async () => (await kafka()).openFeedTopic({ address, logger, identifiers }, name, keepMs).open(),
  };
  const relay = createRelay({
    topic,
    clock: machineClock,
    logger,
    progress: parts.progress,
    readModel: recordHistory.name,
    readHead: () => readFeedHead(reads),
    readAfter: (after) => readFeedAfter(reads, after),
    feedIds: () => feedIdentities(log),
    onPublished: (messages, position) => {
      figures.published += messages;
      figures.position = position;
    },
  });
  const store = createInletStore(parts.transactor);
  const runInlet = async (signal: AbortSignal): Promise<void> => {
    if (inletTopic === undefined) return;
    const { openInlet } = await kafka();
    const inlet = openInlet({ address, logger, identifiers }, inletTopic, clock);
    await inlet.run(
      (part) =>
        createInletPart(
          {
            store,
            log,
            writer: parts.writer,
            putAside: (refused) => inlet.putAside(refused),
            onSettled: ({ appended, unchanged, rejected }) => {
              figures.appended += appended;
              figures.unchanged += unchanged;
              figures.rejected += rejected;
            },
          },
          part,
        ),
      signal,
    );
  };
  return { relay, runInlet, figures };
};
