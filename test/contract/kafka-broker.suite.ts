import { randomUUID } from 'node:crypto';
import { Partitioners, type Kafka, type Producer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainKafka, readTopic, sendAll } from '../support/kafka-client.ts';

/** The behavior of a broker that the relay and the inlet depend on, tested with their client. */
export function kafkaBrokerContract(
  name: string,
  start: () => Promise<{ readonly brokers: string; stop(): Promise<unknown> }>,
): void {
  describe(name, () => {
    /** Undefined after a failed start, whose error the end must not hide. */
    let started: Awaited<ReturnType<typeof start>> | undefined;
    let broker: Awaited<ReturnType<typeof start>>;
    let kafka: Kafka;
    let topic: string;
    const producers: Producer[] = [];

    beforeAll(async () => {
      started = broker = await start();
      kafka = plainKafka(broker.brokers);
    });
    afterAll(async () => {
      await Promise.all(producers.map((each) => each.disconnect()));
      await started?.stop();
    });

    const createTopic = async (partitions = 3): Promise<string> => {
      topic = `civic-test-${randomUUID()}`;
      const admin = kafka.admin();
      await admin.connect();
      await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: true });
      await admin.disconnect();
      return topic;
    };
    const publisher = async (id: string): Promise<Producer> => {
      const producer = kafka.producer({
        transactionalId: id,
        idempotent: true,
        maxInFlightRequests: 1,
        createPartitioner: Partitioners.DefaultPartitioner,
        retry: { retries: 3 },
      });
      producers.push(producer);
      await producer.connect();
      return producer;
    };
    const values = async (): Promise<readonly string[]> =>
      (await readTopic(broker.brokers, topic))
        .map(({ value }) => String(value))
        .toSorted((one, other) => one.localeCompare(other));

    test('messages of one key stay in one partition and in order', async () => {
      await createTopic();
      const messages = Array.from({ length: 60 }, (_, index) => ({
        key: `key-${index % 7}`,
        value: String(index).padStart(2, '0'),
      }));
      await sendAll(broker.brokers, topic, messages);
      const read = await readTopic(broker.brokers, topic);
      expect(read).toHaveLength(60);
      expect(new Set(read.map(({ partition }) => partition)).size).toBeGreaterThan(1);
      for (const key of new Set(read.map((message) => message.key))) {
        const ofKey = read.filter((message) => message.key === key);
        expect(new Set(ofKey.map(({ partition }) => partition)).size).toBe(1);
        const numbers = ofKey.map(({ value }) => Number(value));
        expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      }
    });

    test('a transaction over several partitions is visible as a whole once committed, and never when aborted', async () => {
      await createTopic();
      const producer = await publisher(`civic-test-${randomUUID()}`);
      const keys = ['a', 'b', 'c', 'd', 'e'];
      const first = await producer.transaction();
      await first.send({ topic, messages: keys.map((key) => ({ key, value: `no ${key}` })) });
      await first.abort();
      const second = await producer.transaction();
      await second.send({ topic, messages: keys.map((key) => ({ key, value: `yes ${key}` })) });
      await second.commit();
      // Brokers answer a commit before every partition has its marker.
      await expect.poll(values).toEqual(keys.map((key) => `yes ${key}`));
    });

    test('a producer that is opened again under its name fences the one before and aborts its transaction', async () => {
      await createTopic();
      const id = `civic-test-${randomUUID()}`;
      const frozen = await (await publisher(id)).transaction();
      await frozen.send({ topic, messages: [{ key: 'a', value: 'of the frozen one' }] });
      const next = await (await publisher(id)).transaction();
      await expect(frozen.send({ topic, messages: [{ key: 'b', value: 'after it woke' }] })).rejects.toThrow();
      await expect(frozen.commit()).rejects.toThrow();
      await next.send({ topic, messages: [{ key: 'a', value: 'of the next one' }] });
      await next.commit();
      await expect.poll(values).toEqual(['of the next one']);
    });

    test('offsets that were sent within a transaction take effect only when it is committed', async () => {
      await createTopic(1);
      const group = `civic-test-${randomUUID()}`;
      const producer = await publisher(`civic-test-${randomUUID()}`);
      const admin = kafka.admin();
      await admin.connect();
      const readOffsets = async () =>
        (await admin.fetchOffsets({ groupId: group, topics: [topic] }))[0]!.partitions.map(({ offset }) => offset);
      const sendOffset = async (offset: string) => {
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: [{ key: 'a', value: offset }] });
        await transaction.sendOffsets({
          consumerGroupId: group,
          topics: [{ topic, partitions: [{ partition: 0, offset }] }],
        });
        return transaction;
      };
      await (await sendOffset('7')).abort();
      expect(await readOffsets()).toEqual(['-1']);
      await (await sendOffset('8')).commit();
      await expect.poll(readOffsets).toEqual(['8']);
      await admin.disconnect();
    });

    test('a group continues at its committed offset and divides the partitions among its members', async () => {
      await createTopic(2);
      const group = `civic-test-${randomUUID()}`;
      const ids: string[] = [];
      const assigned = new Map<string, number>();
      const member = async (label: string) => {
        const consumer = kafka.consumer({
          groupId: group,
          maxWaitTimeInMs: 50,
          sessionTimeout: 10_000,
          rebalanceTimeout: 10_000,
          heartbeatInterval: 100,
        });
        consumer.on(
          'consumer.group_join',
          ({ payload }) => void assigned.set(label, payload.memberAssignment[topic]?.length ?? 0),
        );
        await consumer.connect();
        await consumer.subscribe({ topic, fromBeginning: true });
        await consumer.run({ eachMessage: async ({ message }) => void ids.push(String(message.value)) });
        return consumer;
      };
      const sendTen = (from: number) =>
        sendAll(
          broker.brokers,
          topic,
          Array.from({ length: 10 }, (_, index) => ({ key: `k${index}`, value: String(from + index) })),
        );
      await sendTen(100);
      const one = await member('one');
      await expect.poll(() => ids.length).toBe(10);
      const two = await member('two');
      await expect.poll(() => [assigned.get('one'), assigned.get('two')]).toEqual([1, 1]);
      await one.disconnect();
      await expect.poll(() => assigned.get('two')).toBe(2);
      await two.disconnect();
      await sendTen(200);
      const three = await member('three');
      await expect.poll(() => ids.length).toBe(20);
      await three.disconnect();
      expect(ids.toSorted((one, other) => Number(one) - Number(other))).toEqual(
        Array.from({ length: 20 }, (_, index) => String(index < 10 ? 100 + index : 190 + index)),
      );
    });
  });
}
