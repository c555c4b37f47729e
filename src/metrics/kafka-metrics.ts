import { Counter, Gauge, type Registry } from 'prom-client';
import type { CarriedFigures } from '../domain/ports/carried.ts';

/** What this process has carried to and from Kafka since its start. */
export const registerKafkaMetrics = (registry: Registry, figures: CarriedFigures): void => {
  const published = new Counter({
    name: 'civic_relay_messages_total',
    help: 'Changes that this process has published to the topic of the feed.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(figures.published);
    },
  });
  const position = new Gauge({
    name: 'civic_relay_position',
    help: 'Feed position of the last change that this process has published; 0 before the first.',
    registers: [registry],
    collect() {
      this.set(figures.position);
    },
  });
  const taken = new Counter({
    name: 'civic_inlet_messages_total',
    help: 'Messages of record changes that this process has settled, by what they came to.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const outcome of ['appended', 'unchanged', 'rejected'] as const) this.inc({ outcome }, figures[outcome]);
    },
  });
  void [published, position, taken];
};
