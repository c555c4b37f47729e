import type { PoolUse } from '../../../domain/ports/database.ts';
import type { ProcessFigures } from '../../../plumbing/process-figures.ts';
import { counter, type Definition, gauge, histogram, labeled, ofEach, ofNames } from './metric.ts';

interface OfProcess {
  readonly figures: ProcessFigures;
  readonly pools: () => readonly PoolUse[];
  readonly role: string;
  readonly version: string;
}

export const PROCESS_METRICS: readonly Definition<OfProcess>[] = [
  histogram('civic_log_append_duration_seconds', 'Duration of an append to the log, by outcome.', ({ figures }) =>
    labeled('outcome', figures.appends),
  ),
  histogram('civic_projection_fold_duration_seconds', 'Time to fold one batch, without its commit.', ({ figures }) =>
    labeled('projection', figures.folds),
  ),
  counter('civic_change_pages_total', 'Answered pages of the feed, by the origin of their items.', ({ figures }) =>
    ofNames('from', ['memory', 'database'], (from) => figures.feedPages[from]),
  ),
  counter(
    'civic_pruned_rows_total',
    'Rows of the record history that were deleted after the retention.',
    (of) => of.figures.prunedRows,
  ),
  counter(
    'civic_history_set_back_total',
    'Number of times that the log had lost history that this process had read.',
    ({ figures }) => figures.setBacks,
  ),
  ...ofEach('pool', ({ pools }: OfProcess) => pools().map((use) => ({ ...use, name: use.pool })), [
    gauge('civic_database_connections', 'Open connections to the database.', 'open'),
    gauge('civic_database_connections_busy', 'Busy connections to the database.', 'busy'),
    gauge('civic_database_waiting', 'Statements and transactions that wait for a connection.', 'waiting'),
  ]),
  gauge('civic_build_info', 'Always 1.', ({ version, role }) => [[{ version, role }, 1]]),
];

interface KafkaCounters {
  readonly published: number;
  readonly position: number;
  readonly appended: number;
  readonly unchanged: number;
  readonly rejected: number;
}

export const KAFKA_METRICS: readonly Definition<KafkaCounters>[] = [
  counter('civic_relay_messages_total', 'Changes that this process has published to the feed topic.', 'published'),
  gauge(
    'civic_relay_position',
    'Feed position of the last change that this process has published; 0 before the first.',
    'position',
  ),
  counter('civic_inlet_messages_total', 'Inlet messages that this process has completed, by outcome.', (of) =>
    ofNames('outcome', ['appended', 'unchanged', 'rejected'], (outcome) => of[outcome]),
  ),
];
