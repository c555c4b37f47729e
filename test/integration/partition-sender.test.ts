import type { Producer } from 'kafkajs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { idempotentProducer, openPartitionSender } from '../../infra/kafka/partition-sender.ts';
import { NotYet } from '../../domain/ports/reactors.ts';
import { plainKafka, readTopic } from '../support/kafka-client.ts';
import { type KafkaPeer, startKafkaPeer } from '../support/kafka-peer.ts';

const TOPIC = 'sent';
const MESSAGES = Array.from({ length: 100 }, (_, index) => ({ key: `key ${index}`, value: String(index) }));

let peer: KafkaPeer;
let kafka: ReturnType<typeof plainKafka>;
let producer: Producer;

beforeEach(async () => {
  peer = await startKafkaPeer();
  kafka = plainKafka(peer.brokers);
  producer = idempotentProducer(kafka, { transactionalId: TOPIC });
});
afterEach(async () => {
  await producer.disconnect();
  await peer.stop();
});

test('messages for unknown partitions are refused, and a new sender sends all of them', async () => {
  peer.store.create(TOPIC, 6);
  const outdated = await openPartitionSender(kafka, TOPIC);
  peer.store.remove(TOPIC);
  peer.store.create(TOPIC, 2);
  await producer.connect();
  const first = await producer.transaction();
  await expect(outdated(first, MESSAGES)).rejects.toThrow(NotYet);
  await first.abort();
  const send = await openPartitionSender(kafka, TOPIC);
  const second = await producer.transaction();
  await send(second, MESSAGES);
  await second.commit();
  const read = await readTopic(peer.brokers, TOPIC);
  expect(read.map(({ key }) => key).toSorted()).toEqual(MESSAGES.map(({ key }) => key).toSorted());
});

test('messages without values are sent in batches that a broker accepts, by size of keys and headers', async () => {
  peer.store.create(TOPIC, 1, new Map([['max.message.bytes', '500000']]));
  await producer.connect();
  const large = MESSAGES.map(({ key }) => ({ key, value: null, headers: { reason: 'x'.repeat(20_000) } }));
  const transaction = await producer.transaction();
  await (await openPartitionSender(kafka, TOPIC))(transaction, large);
  await transaction.commit();
  expect(await readTopic(peer.brokers, TOPIC)).toHaveLength(large.length);
});
