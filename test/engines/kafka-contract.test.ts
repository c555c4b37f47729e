import { inject } from 'vitest';
import { kafkaBrokerContract } from '../contract/kafka-broker.suite.ts';
import { startKafka } from './kafka-server.ts';

kafkaBrokerContract(`Kafka ${inject('kafkaVersion')}`, () => startKafka(inject('kafkaVersion')));
