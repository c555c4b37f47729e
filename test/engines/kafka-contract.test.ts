import { kafkaBrokerContract } from '../contract/kafka-broker.suite.ts';
import { KAFKA_VERSION, startKafka } from './kafka-server.ts';

kafkaBrokerContract(`Kafka ${KAFKA_VERSION}`, () => startKafka(KAFKA_VERSION));
