import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { readFeed } from '../support/feed-reader.ts';
import { messageOf } from '../support/inlet.ts';
import { plainKafka, sendAll } from '../support/kafka-client.ts';
import { importTopics } from '../support/numbered-topics.ts';
import { readChained } from '../support/relay.ts';
import { type Installation, makeInstallation, type Running, type Service } from '../support/service.ts';
import { untilReached, untilTrue } from '../support/until-reached.ts';
import { KAFKA_VERSION, type KafkaServers, startKafka } from './kafka-server.ts';

const BROKERS = 3;
const RELAY_KILLS = 6;
const BROKER_KILLS = 3;
const PART = 250;
const INLET = 'civic.in';
/** The limit with one survivor, from the kill. */
const TAKEOVER_MS = 12_000;
const RECORDS = 60;

let kafka: KafkaServers;
let database: TestDatabase;
let installation: Installation;
let service: Service;
let key: string;
const relays = new Set<Running>();
const settings = () => ({ KAFKA_BROKERS: kafka.brokers, CIVIC_KAFKA_INLET_TOPIC: INLET });

async function startRelay(): Promise<Running> {
  const running = installation.launch({ role: 'relay', env: settings() });
  await running.ready;
  relays.add(running);
  return running;
}
/** The last output of the running relays. */
async function relayLogs(): Promise<string> {
  const ended = await Promise.all(
    [...relays].map(async (running) => {
      await kill(running);
      return (await running.ended).stderr.split('\n').slice(-30).join('\n');
    }),
  );
  return ended.join('\n---\n');
}
async function kill(running: Running): Promise<void> {
  relays.delete(running);
  running.kill('SIGKILL');
  await running.ended;
}
async function relayIsAtRest(): Promise<boolean> {
  const { stdout } = await installation.civicHere(['reactors', 'list', '--json'], { env: settings() });
  const relay = (
    JSON.parse(stdout) as readonly { name: string; state: string; reason: string | null; lagEvents: number | null }[]
  ).find(({ name }) => name === 'relay')!;
  if (relay.reason !== null) throw new Error(`the relay is paused: ${relay.reason}`);
  return relay.lagEvents === 0;
}
const changesOf = async () => (await readFeed(service, key, 500)).flatMap(({ data }) => data.items);
/** Each record has four changes: A, B, A, C. */
const states = (from: number): RecordChange[][] =>
  [1, 2, 1, 3].map((variant) =>
    Array.from({ length: RECORDS }, (_, index) => upsert('documents', from + index, variant)),
  );
/** Sends one state after the other, each after the brokers have the one before: a repeated state is one change. */
async function sendStates(from: number): Promise<void> {
  for (const state of states(from)) {
    await untilTrue('the brokers take messages', async () => {
      try {
        await sendAll(kafka.brokers, INLET, state.map(messageOf));
        return true;
      } catch {
        return false;
      }
    });
  }
}

describe(`Kafka ${KAFKA_VERSION}, ${BROKERS} brokers`, () => {
  beforeAll(async () => {
    kafka = await startKafka(KAFKA_VERSION, { brokers: BROKERS });
    const admin = plainKafka(kafka.brokers).admin();
    await admin.connect();
    // Its leaders are known a moment later.
    await admin.createTopics({ topics: [{ topic: INLET, numPartitions: 4 }], waitForLeaders: false });
    await untilTrue('the topic has leaders', async () => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [INLET] }).catch(() => ({ topics: [] }));
      return topics.some(({ partitions }) => partitions.length === 4 && partitions.every(({ leader }) => leader >= 0));
    });
    await admin.disconnect();
    database = await startTestDatabase();
    installation = makeInstallation('civic-kafka-kills-', { DATABASE_URL: database.url });
    key = await installation.openAccount();
    service = await installation.start();
  });
  afterAll(async () => {
    for (const running of relays) running.kill('SIGKILL');
    await service?.stop();
    await installation?.close();
    await database?.close();
    await kafka?.stop();
  });

  test(`${RELAY_KILLS} kills of relays and ${BROKER_KILLS} of brokers lose and repeat nothing, out and in`, async () => {
    await startRelay();
    for (let round = 0; round < RELAY_KILLS; round += 1) {
      const victim = [...relays][0]!;
      await startRelay();
      const importing = importTopics(installation, `round ${round}`, PART);
      const sending = sendStates(round * 1_000);
      if (round % 2 === 0) await kafka.kill9((round / 2) % BROKERS);
      await kill(victim);
      await Promise.all([importing, sending]);
      if (round % 2 === 0) await kafka.start((round / 2) % BROKERS);
    }
    const ids = new Set(
      Array.from({ length: RELAY_KILLS }, (_, round) => states(round * 1_000)[0]!.map(({ id }) => id)).flat(),
    );
    const countStored = async (): Promise<number> =>
      (await changesOf()).filter(({ recordId }) => ids.has(recordId)).length;
    await untilReached('the changes of inlet messages', 4 * ids.size, countStored, { tell: relayLogs });
    await untilTrue('the relay has published all', relayIsAtRest);
    const items = await changesOf();
    const messages = await readChained(kafka.brokers);
    expect(messages.map(({ headers }) => Number(headers['civic-position']))).toEqual(
      items.map((_, index) => index + 1),
    );
    expect(messages.map(({ headers }) => headers['civic-version'])).toEqual(items.map(({ version }) => version));
    const versions = new Map<string, number>();
    for (const { recordId } of items) versions.set(recordId, (versions.get(recordId) ?? 0) + 1);
    for (let round = 0; round < RELAY_KILLS; round += 1)
      for (const { id } of states(round * 1_000)[0]!) expect([id, versions.get(id)]).toEqual([id, 4]);
  });

  test(`another inlet takes over the partitions of a killed inlet within ${TAKEOVER_MS / 1000} s`, async () => {
    while (relays.size < 2) await startRelay();
    const [victim] = relays;
    const before = (await changesOf()).length;
    await sendAll(
      kafka.brokers,
      INLET,
      [1, 2, 3, 4, 5, 6, 7, 8].map((number) => messageOf(upsert('documents', 90_000 + number, 1))),
    );
    await untilTrue('both have taken their partitions', async () => (await changesOf()).length === before + 8);
    await kill(victim!);
    const killed = performance.now();
    const many = Array.from({ length: 40 }, (_, index) => messageOf(upsert('documents', 91_000 + index, 1)));
    await sendAll(kafka.brokers, INLET, many);
    await untilTrue('all have taken effect', async () => (await changesOf()).length === before + 8 + many.length);
    const took = performance.now() - killed;
    process.stdout.write(`the inlet's takeover took ${(took / 1000).toFixed(1)} s\n`);
    expect(took).toBeLessThan(TAKEOVER_MS);
  });
});
