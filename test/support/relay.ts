import { kafkaClient } from '../../infra/kafka/connection.ts';
import { createFeedTopic } from '../../infra/kafka/feed-topic.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { feedIdentities } from '../../queries/feed/feed-head.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { FeedTopic } from '../../domain/ports/kafka.ts';
import { createRelay, RELAY } from '../../src/processors/reactors/relay/relay.ts';
import { runReactor } from '../../src/processors/runtime/run-reactor.ts';
import { hurriedClock } from './classification.ts';
import type { TestCivic } from './civic.ts';
import { untilAtEnd } from './until-reached.ts';
import { type ReadMessage, readTopic } from './kafka-client.ts';

export const FEED_TOPIC = 'civic.feed';

export interface RunningRelay {
  /** Messages of each publication, as reported. */
  readonly published: number[];
  stop(): Promise<void>;
}

let owners = 0;

/** Runs the relay on a database and brokers until it is stopped. */
export function startRelay(
  civic: TestCivic,
  brokers: string,
  { leaseMs = 1500, around = (topic: FeedTopic): FeedTopic => topic } = {},
): RunningRelay {
  const kafka = kafkaClient({ brokers: brokers.split(','), tls: false }, civic.logger);
  const topic = around(createFeedTopic({ kafka, topic: FEED_TOPIC, identifiers: randomIdentifiers, keepMs: 1000 }));
  const published: number[] = [];
  const relay = createRelay({
    topic,
    clock: hurriedClock,
    logger: civic.logger,
    progress: civic.progress,
    reads: civic.reads,
    feedIds: () => feedIdentities(civic.log),
    onPublished: (messages) => void published.push(messages),
  });
  const stopping = new AbortController();
  const store = createProcessorStore(civic.database.transactor);
  const owner = `relay-${process.pid}-${(owners += 1)}`;
  const ended = runReactor(
    { log: civic.log, store, leaseClock: hurriedClock, logger: civic.logger, owner, leaseMs },
    relay,
    stopping.signal,
  );
  return {
    published,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

export const relayRow = async (civic: TestCivic) =>
  (await createProcessorStore(civic.database.transactor).listReactors()).find(({ name }) => name === RELAY);

/** Waits until the relay has followed the log to its end. */
export const relayAtRest = (civic: TestCivic): Promise<void> =>
  untilAtEnd('the relay', civic.log, async () => {
    const row = await relayRow(civic);
    if (row?.pausedReason) throw new Error(`paused: ${row.pausedReason}`);
    return row?.checkpoint;
  });

/** The messages of a topic in the order of the feed; throws unless each names the one before it, the first of a feed none. */
export async function readChained(brokers: string): Promise<readonly ReadMessage[]> {
  const messages = (await readTopic(brokers, FEED_TOPIC)).toSorted(
    (one, other) => Number(one.headers['civic-position']) - Number(other.headers['civic-position']),
  );
  let previous = '0';
  for (const { headers, offset, partition } of messages) {
    if (headers['civic-follows'] !== previous) {
      const at = `at ${offset} of partition ${partition}`;
      throw new Error(
        `position ${headers['civic-position']} ${at} follows ${headers['civic-follows']} and came after ${previous}`,
      );
    }
    previous = headers['civic-position']!;
  }
  return messages;
}

/** The items of the feed over HTTP, as text. */
export async function feedItems(civic: TestCivic): Promise<readonly string[]> {
  const items: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = JSON.parse(
      (await civic.changes({ ...(cursor === undefined ? {} : { cursor }), limit: 500, maxResponseBytes: 50_000_000 }))
        .text,
    ) as {
      readonly data: { readonly items: readonly object[] };
      readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
    };
    items.push(...page.data.items.map((item) => JSON.stringify(item)));
    if (!page.meta.hasMore) return items;
    cursor = page.meta.nextCursor;
  }
}
