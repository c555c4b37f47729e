import type { Registry } from 'prom-client';
import type { Operations } from '../../../queries/operators/read-operations.ts';
import { source } from '../../../domain/records/schemas.ts';
import { PAYMENT_STATES } from '../../../domain/payments/payment.ts';
import { collectCounter, collectGauge, one, type Series } from './collected.ts';

/** What is the same in every process; null, while it cannot be read, makes all of it absent but the gauge that says so. */
export function registerOperationsMetrics(registry: Registry, known: () => Promise<Operations | null>): void {
  const read = (valuesOf: (operations: Operations) => Series) => async () => {
    const operations = await known();
    return operations === null ? [] : valuesOf(operations);
  };
  const gauge = (name: string, help: string, label: string | undefined, valuesOf: (operations: Operations) => Series): void =>
    collectGauge(registry, { name, help, label }, read(valuesOf));
  const counter = (name: string, help: string, label: string, valuesOf: (operations: Operations) => Series): void =>
    collectCounter(registry, { name, help, label }, read(valuesOf));

  const readable = '1 where what all processes share could be read for this answer, else 0.';
  collectGauge(registry, { name: 'civic_shared_figures_known', help: readable }, async () => one((await known()) === null ? 0 : 1));
  gauge('civic_log_events', 'Events in the log; absent where the log cannot count.', undefined, ({ log }) => one(log.events));
  gauge('civic_feed_position', 'Changes in the feed.', undefined, ({ feedPosition }) => one(feedPosition));
  gauge('civic_snapshots_live', 'Snapshots that can be read; 100,000 at most are counted.', undefined, (all) => one(all.exports.snapshots));
  gauge('civic_subscriptions_active', 'Subscriptions whose key is alive; 100,000 at most are counted.', undefined, (all) =>
    one(all.exports.subscriptions),
  );
  gauge('civic_sources', 'Sources by their status.', 'status', ({ sources }) =>
    source.shape.status.options.map((status) => [{ status }, sources.filter((each) => each.status === status).length]),
  );
  gauge('civic_payments', 'Payments that have not ended, and those of the last day, by their state.', 'state', ({ payments }) =>
    PAYMENT_STATES.map((state) => [{ state }, payments.get(state) ?? 0]),
  );

  const served = ({ projections }: Operations) => projections.filter(({ serves }) => serves);
  gauge('civic_projection_position', 'Events of the log that the projection has passed.', 'projection', (all) =>
    served(all).flatMap(({ name, eventsRead }) => (eventsRead === null ? [] : [[{ projection: name }, eventsRead]])),
  );
  gauge('civic_projection_paused', '1 while the projection is paused at an event that it cannot fold.', 'projection', (all) =>
    served(all).map(({ name, state }) => [{ projection: name }, state === 'paused' ? 1 : 0]),
  );
  counter(
    'civic_projection_takeovers_total',
    'Times that the right to fold the projection was taken, by any process.',
    'projection',
    (all) => served(all).map(({ name, takeovers }) => [{ projection: name }, takeovers]),
  );
  gauge('civic_reactor_lag_events', 'Events in the log that the reactor has yet to pass.', 'reactor', ({ reactors }) =>
    reactors.flatMap(({ name, lagEvents }) => (lagEvents === null ? [] : [[{ reactor: name }, lagEvents]])),
  );
  gauge('civic_reactor_lag_seconds', 'Age of the oldest event that the reactor has yet to handle.', 'reactor', ({ reactors }) =>
    reactors.map(({ name, lagSeconds }) => [{ reactor: name }, lagSeconds]),
  );
  gauge('civic_reactor_paused', '1 while the reactor is paused at an event that it cannot handle.', 'reactor', ({ reactors }) =>
    reactors.map(({ name, state }) => [{ reactor: name }, state === 'paused' ? 1 : 0]),
  );
  counter('civic_reactor_handled_events_total', 'Events that the reactor has handled, in any process.', 'reactor', ({ reactors }) =>
    reactors.map(({ name, handled }) => [{ reactor: name }, handled]),
  );
  counter(
    'civic_reactor_takeovers_total',
    'Times that the right to run the reactor was taken, by any process.',
    'reactor',
    ({ reactors }) => reactors.map(({ name, takeovers }) => [{ reactor: name }, takeovers]),
  );
}
