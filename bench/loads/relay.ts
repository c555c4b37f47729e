import { randomUUID } from 'node:crypto';
import { type Kafka, Kafka as Client, logLevel, Partitioners } from 'kafkajs';
import { openKafka } from '../../infra/kafka/open.ts';
import { createLiveReads } from '../../infra/postgresql/read-models/live-reads.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { systemClock } from '../../infra/system/clock.ts';
import { readFeedAfter } from '../../queries/feed/feed-after.ts';
import { readFeedHead } from '../../queries/feed/feed-head.ts';
import { EMPTY_FINGERPRINT } from '../../domain/digests.ts';
import { randomIdentifiers } from '../../domain/identifiers.ts';
import type { FeedMessage, FeedTopic, TopicCheckpoint } from '../../domain/ports/kafka.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { createRelay, feedMessages } from '../../src/processors/reactors/relay/relay.ts';
import { atLeast, type Bench, count, type Load, type Row } from '../rig/bench.ts';
import { holdDatabase } from '../rig/database.ts';
import { alternate } from '../rig/measure.ts';
import { scoped } from '../rig/scoped.ts';

const MINUTE_MS = 60_000;
const IN_A_TRANSACTION = 2_000;
const PARTITIONS = 6;
const REACH = 0.8;

const newName = (): string => `bench-${randomUUID()}`;

/** Milliseconds from the moment at which the topic is open to the last commit. */
const publish = (brokers: string, url: string): Promise<number> =>
  scoped(async (use) => {
    const database = use(await opened(url));
    const logger = createLogger('silent', 'json');
    const store = createProcessorStore(database.transactor);
    const name = newName();
    const kafka = openKafka(
      { brokers: brokers.split(','), tls: false },
      { logger, identifiers: randomIdentifiers, clock: systemClock },
    );
    const topic = kafka.feedTopic(name, MINUTE_MS);
    let began = 0;
    const timed: FeedTopic = {
      name,
      async open() {
        const publication = await topic.open();
        began = performance.now();
        return publication;
      },
    };
    const relay = createRelay({
      topic: timed,
      clock: systemClock,
      logger,
      progress: { waitFor: async () => true },
      reads: database.reads,
      feedIds: async () => new Set(),
      onPublished: () => undefined,
    });
    const row = await store.acquireReactor(name, name, Date.now(), MINUTE_MS);
    const lease = { name, owner: name, token: row!.token };
    const confirm = async (): Promise<void> => void (await store.renew(lease, Date.now() + MINUTE_MS));
    await relay.begin()([], { signal: new AbortController().signal, confirm });
    const elapsed = performance.now() - began;
    await relay.end?.();
    return elapsed;
  });

async function opened(dsn: string) {
  const database = await openDatabase({ dsn, statementTimeoutMs: MINUTE_MS });
  const reads = createLiveReads(database.read);
  return { transactor: database.transactor, reads, [Symbol.asyncDispose]: () => database.close() };
}

/** Messages of the relay, ready to be sent. */
async function everyMessage(reads: LiveReads): Promise<readonly FeedMessage[]> {
  const { feedId } = await readFeedHead(reads);
  const messages: FeedMessage[] = [];
  let place: TopicCheckpoint = { feedId: feedId!, position: 0, boundary: 0, fingerprint: EMPTY_FINGERPRINT };
  for (;;) {
    const { rows } = await readFeedAfter(reads, { ...place, limit: 500, maxBytes: 4_000_000 });
    if (rows.length === 0) return messages;
    messages.push(...feedMessages(place, rows));
    place = { ...place, position: rows.at(-1)!.position };
  }
}

/** Milliseconds of the client alone for the same messages. */
async function sendPlainly(kafka: Kafka, messages: readonly FeedMessage[]): Promise<number> {
  const topic = newName();
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: PARTITIONS }], waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka.producer({
    transactionalId: topic,
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  const began = performance.now();
  for (let from = 0; from < messages.length; from += IN_A_TRANSACTION) {
    const transaction = await producer.transaction();
    const chunk = messages
      .slice(from, from + IN_A_TRANSACTION)
      .map(({ key, value, headers }) => ({ key, value, headers: { ...headers } }));
    await transaction.send({ topic, acks: -1, messages: chunk });
    await transaction.commit();
  }
  const elapsed = performance.now() - began;
  await producer.disconnect();
  return elapsed;
}

async function run(bench: Bench): Promise<readonly Row[]> {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers === undefined) {
    bench.say('the relay is not measured: set KAFKA_BROKERS');
    return [];
  }
  return await scoped(async (use) => {
    const records = bench.sizes[1];
    const { dataDir } = await bench.datasets.of(records);
    const { url } = use(await holdDatabase(dataDir));
    const messages = await everyMessage(use(await opened(url)).reads);
    const kafka = new Client({ clientId: 'bench', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
    const { ours, yardstick, ratio, ratios } = await alternate(
      bench.rounds,
      async () => (messages.length / (await publish(brokers, url))) * 1000,
      async () => (messages.length / (await sendPlainly(kafka, messages))) * 1000,
    );
    return [
      {
        load: `feed to Kafka, ${count(messages.length)} changes`,
        ours: `${count(ours)} messages/s`,
        yardstick: `kafkajs, messages ready, ${count(yardstick)} messages/s`,
        ...atLeast(ratio, REACH),
        details: { ratios },
      },
    ];
  });
}

export const relay: Load = {
  name: 'relay',
  title: 'the feed to Kafka against the client alone, where KAFKA_BROKERS is set',
  run,
};
