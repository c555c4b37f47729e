import type { Registry } from 'prom-client';
import { collectCounter, collectGauge, one } from './collected.ts';

/** Messages that a process has exchanged with Kafka since its start. */
export interface KafkaCounters {
  readonly published: number;
  readonly position: number;
  readonly appended: number;
  readonly unchanged: number;
  readonly rejected: number;
}

const OUTCOMES = ['appended', 'unchanged', 'rejected'] as const;

/** Counters of what this process has published to Kafka and taken from it since its start. */
export function registerKafkaMetrics(registry: Registry, figures: KafkaCounters): void {
  const published = 'Changes that this process has published to the topic of the feed.';
  collectCounter(registry, { name: 'civic_relay_messages_total', help: published }, () => one(figures.published));
  const position = 'Feed position of the last change that this process has published; 0 before the first.';
  collectGauge(registry, { name: 'civic_relay_position', help: position }, () => one(figures.position));
  const completed = 'Messages of record changes that this process has completed, by outcome.';
  collectCounter(registry, { name: 'civic_inlet_messages_total', help: completed, label: 'outcome' }, () =>
    OUTCOMES.map((outcome) => [{ outcome }, figures[outcome]]),
  );
}
