import { describe, expect, test } from 'vitest';
import { Partitioners } from 'kafkajs';
import { imageMissing } from '../support/containers.ts';
import { plainKafka, readTopic } from '../support/kafka-client.ts';
import { KAFKA_IMAGE, startKafkaContainer } from '../support/kafka-container.ts';
import { type KafkaPeer, startKafkaPeer } from '../support/kafka-peer.ts';
import { PeerPartition } from '../support/kafka-peer-partition.ts';
import { CODES } from '../support/kafka-peer-wire.ts';
import { kafkaBrokerContract } from './kafka-broker.suite.ts';

kafkaBrokerContract('a peer that speaks the wire protocol of Kafka', () => startKafkaPeer());

describe('a peer with faults', () => {
  const withProducer = async (
    work: (peer: KafkaPeer, send: (value: string) => Promise<unknown>) => Promise<void>,
  ): Promise<void> => {
    const peer = await startKafkaPeer();
    peer.store.create('t', 1);
    const producer = plainKafka(peer.brokers).producer({
      idempotent: true,
      maxInFlightRequests: 1,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
    await producer.connect();
    try {
      await work(peer, (value) => producer.send({ topic: 't', messages: [{ key: 'k', value }] }));
    } finally {
      await producer.disconnect();
      await peer.stop();
    }
  };

  test.each(['cutBefore', 'cutAfter'] as const)('a message whose call was lost (%s) is stored once', (fault) =>
    withProducer(async (peer, send) => {
      await send('one');
      peer.faults[fault].set('Produce', 2);
      await send('two');
      await send('three');
      expect((await readTopic(peer.brokers, 't')).map(({ value }) => value)).toEqual(['one', 'two', 'three']);
    }),
  );

  test('a restart keeps the messages and the sequence of each producer', () =>
    withProducer(async (peer, send) => {
      await send('one');
      await peer.goDown();
      await peer.comeBack();
      await send('two');
      expect((await readTopic(peer.brokers, 't')).map(({ value }) => value)).toEqual(['one', 'two']);
    }));

  test('a batch whose predecessor is missing is refused, and so is one of an earlier epoch', () =>
    withProducer(async (peer, send) => {
      await send('one');
      await send('two');
      const [first, second] = peer.store.partition('t', 0)!.batches;
      const other = new PeerPartition(1_000_000);
      expect(other.append(second!.bytes).code).toBe(CODES.outOfOrder);
      expect(other.append(first!.bytes).code).toBe(CODES.none);
      expect(other.append(second!.bytes).code).toBe(CODES.none);
      other.mark(second!.bytes.readBigInt64BE(43), 1, false);
      expect(other.append(second!.bytes).code).toBe(CODES.invalidEpoch);
    }));
});

const configuredBrokers = process.env.KAFKA_BROKERS;
describe.skipIf(configuredBrokers === undefined)(
  'with KAFKA_BROKERS (set it to brokers that may hold topics of these tests)',
  () => {
    kafkaBrokerContract('the brokers of KAFKA_BROKERS', async () => ({
      brokers: configuredBrokers!,
      stop: async () => undefined,
    }));
  },
);

const missing = await imageMissing(KAFKA_IMAGE);
describe.skipIf(missing !== null)(`in a container (${missing ?? 'Docker runs here'})`, () => {
  kafkaBrokerContract(KAFKA_IMAGE, startKafkaContainer);
});
