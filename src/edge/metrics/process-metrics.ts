import { Gauge, type Registry } from 'prom-client';
import type { PoolUse } from '../../../domain/ports/database.ts';
import { FIGURE_BOUNDS, type ProcessFigures, type Tally } from '../../../domain/process-figures.ts';
import { collectCounter, collectGauge, CountedDurations, durationSeries, one } from './collected.ts';

export interface ProcessMetricsParts {
  readonly figures: ProcessFigures;
  readonly pools: () => readonly PoolUse[];
  readonly role: string;
  readonly version: string;
}

/** What this process alone does: appends, folds, its connections, and which program it is. */
export function registerProcessMetrics(registry: Registry, { figures, pools, role, version }: ProcessMetricsParts): void {
  const durations = (name: string, help: string, label: 'outcome' | 'projection', tallies: ReadonlyMap<string, Tally>) => {
    const series = async () =>
      [...tallies].flatMap(([value, tally]) => durationSeries<string>(name, { [label]: value }, FIGURE_BOUNDS, tally));
    registry.registerMetric(new CountedDurations<string>(name, help, [label], series));
  };
  durations('civic_log_append_duration_seconds', 'Time of an append to the log, by its outcome.', 'outcome', figures.appends);
  durations('civic_projection_fold_duration_seconds', 'Time to fold one batch, without its commit.', 'projection', figures.folds);
  const pruned = 'Rows of the record history that were removed after the retention.';
  collectCounter(registry, { name: 'civic_pruned_rows_total', help: pruned }, () => one(figures.prunedRows));
  const setBacks = 'How often the log was found to have lost history that this process had read.';
  collectCounter(registry, { name: 'civic_history_set_back_total', help: setBacks }, () => one(figures.setBacks));
  const connections = (name: string, help: string, valueOf: (pool: PoolUse) => number) =>
    collectGauge(registry, { name, help, label: 'pool' }, () => pools().map((pool) => [{ pool: pool.pool }, valueOf(pool)]));
  connections('civic_database_connections', 'Connections to the database that are open.', ({ open }) => open);
  connections('civic_database_connections_busy', 'Connections to the database that are at work.', ({ busy }) => busy);
  connections('civic_database_waiting', 'Statements and transactions that wait for a connection.', ({ waiting }) => waiting);
  const info = new Gauge({ name: 'civic_build_info', help: 'Always 1.', labelNames: ['version', 'role'], registers: [registry] });
  info.set({ version, role }, 1);
}
