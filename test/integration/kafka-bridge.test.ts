import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReactors } from '../../queries/operators/processors.ts';
import { Registry } from 'prom-client';
import { register } from '../../src/edge/metrics/metric.ts';
import { KAFKA_METRICS } from '../../src/edge/metrics/process-metrics.ts';
import { serve } from '../../src/app/serving/serve.ts';
import { recordId, upsert } from '../support/civic-records.ts';
import { untilTrue } from '../support/civic.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { messageOf } from '../support/inlet.ts';
import { readTopic, sendAll } from '../support/kafka-client.ts';
import { type KafkaPeer, startKafkaPeer } from '../support/kafka-peer.ts';
import { serveCivic, type ServedCivic } from '../support/served-civic.ts';

let database: TestDatabase;
let peer: KafkaPeer;
let served: ServedCivic;

beforeAll(async () => {
  database = await startTestDatabase();
  peer = await startKafkaPeer();
  peer.store.create('changes', 2);
  const kafka = { KAFKA_BROKERS: peer.brokers, CIVIC_KAFKA_FEED_TOPIC: 'out', CIVIC_KAFKA_INLET_TOPIC: 'changes' };
  served = await serveCivic(database.url, kafka);
});
afterAll(async () => {
  await served.close();
  await peer.stop();
  await database.close();
});

test('a change from Kafka is published to Kafka, and operators see both', async () => {
  served.civic.startKafkaBridge();
  await sendAll(peer.brokers, 'changes', [messageOf(upsert('topics', 1, 1)), { key: 'bad', value: '{' }]);
  const key = `topics/${recordId('topics', 1)}`;
  await untilTrue(
    'it is published',
    async () =>
      peer.store.topics.has('out') && (await readTopic(peer.brokers, 'out')).some((message) => message.key === key),
  );
  await untilTrue('both messages are settled', () => served.civic.kafkaCounters!.rejected === 1);
  const relay = (await listReactors(served.civic.listingReactors)).find(({ name }) => name === 'relay');
  expect(relay).toMatchObject({ state: 'live', reason: null });
  const registry = new Registry();
  register(registry, KAFKA_METRICS, () => served.civic.kafkaCounters!);
  const text = await registry.metrics();
  expect(text).toMatch(/^civic_relay_messages_total [1-9]/m);
  expect(text).toMatch(/^civic_inlet_messages_total\{outcome="appended"\} 1$/m);
  expect(text).toMatch(/^civic_inlet_messages_total\{outcome="rejected"\} 1$/m);
});

test('a relay without brokers is refused with one line', async () => {
  const without = await serveCivic(database.url);
  const serving = serve(without.civic, {
    role: 'relay',
    stopping: new AbortController().signal,
    print: () => undefined,
    toTerminal: false,
  });
  await expect(serving).rejects.toThrow(/^--role relay needs KAFKA_BROKERS, which is unset$/);
  expect((await listReactors(without.civic.listingReactors)).map(({ name }) => name)).not.toContain('relay');
  await without.close();
});
