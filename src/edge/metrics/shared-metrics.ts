import { PAYMENT_STATES } from '../../../domain/payments/payment.ts';
import { source } from '../../../domain/records/schemas.ts';
import { OPEN_REPORT_STATUSES } from '../../../domain/reports.ts';
import type { Operations } from '../../../queries/operators/read-operations.ts';
import type { ReportFigures } from '../../../queries/reports/report-figures.ts';
import { counter, type Definition, gauge, histogram, labeled, ofEach, ofNames } from './metric.ts';

type Projection = Operations['projections'][number];
type Lag = Pick<
  Projection,
  'name' | 'lagEvents' | 'lagSeconds' | 'folded' | 'rate' | 'leftEvents' | 'leftSeconds' | 'state'
>;
export type ProjectionLag = Lag & Pick<Projection, 'serves' | 'rebuild'>;

const served = <Row extends Pick<Projection, 'serves'>>(rows: readonly Row[]) => rows.filter(({ serves }) => serves);
const isPaused = ({ state }: { readonly state: string }) => Number(state === 'paused');

export const PROJECTION_LAG_METRICS: readonly Definition<readonly ProjectionLag[]>[] = [
  ...ofEach<Lag, readonly ProjectionLag[]>('projection', served, [
    gauge('civic_projection_lag_events', 'Events in the log that the projection has not folded.', 'lagEvents'),
    gauge('civic_projection_lag_seconds', 'Age of the oldest event that the projection has not folded.', 'lagSeconds'),
    gauge('civic_projection_fold_rate', 'Events that the projection folds per second.', 'rate'),
  ]),
  ...ofEach<Lag, readonly ProjectionLag[]>('projection', (rows) => rows.filter(({ rebuild }) => rebuild), [
    gauge(
      'civic_projection_rebuild_folded_events',
      'Events that the rebuild has folded; absent without a rebuild.',
      'folded',
    ),
    gauge(
      'civic_projection_rebuild_remaining_events',
      'Events in the log that the rebuild has not reached.',
      'leftEvents',
    ),
    gauge(
      'civic_projection_rebuild_remaining_seconds',
      'Remaining time of the rebuild at its current rate.',
      'leftSeconds',
    ),
    gauge('civic_projection_rebuild_fold_rate', 'Events that the rebuild folds per second.', 'rate'),
    gauge(
      'civic_projection_rebuild_paused',
      '1 while the rebuild is paused, by an operator or at an event.',
      ({ state }) => Number(state === 'paused' || state === 'operator_paused'),
    ),
  ]),
];

/** Always exported; shows if the other metrics are. */
export const KNOWN_METRICS: readonly Definition<boolean>[] = [
  gauge('civic_shared_figures_known', '1 if the shared figures could be read for this answer, else 0.', Number),
];

export const SHARED_METRICS: readonly Definition<Operations>[] = [
  gauge('civic_log_events', 'Events in the log; absent if the log cannot count them.', ({ log }) => log.events),
  gauge('civic_feed_position', 'Changes in the feed.', 'feedPosition'),
  gauge('civic_snapshots_live', 'Readable snapshots; counts up to 100,000.', (all) => all.exports.snapshots),
  gauge(
    'civic_subscriptions_active',
    'Subscriptions with a valid key; counts up to 100,000.',
    (all) => all.exports.subscriptions,
  ),
  gauge('civic_backup_age_seconds', 'Age of the newest verified backup; absent before the first.', 'backupSeconds'),
  gauge(
    'civic_unclassified_items',
    'Agenda items without hits because the classifier has no result for them.',
    'unclassified',
  ),
  gauge('civic_sources', 'Sources by status.', ({ sources }) =>
    ofNames('status', source.shape.status.options, (status) => sources.filter((each) => each.status === status).length),
  ),
  gauge('civic_payments', 'Payments that are in progress or from the last day, by state.', ({ payments }) =>
    ofNames('state', PAYMENT_STATES, (state) => payments.get(state) ?? 0),
  ),
  ...ofEach<Projection, Operations>('projection', ({ projections }) => served(projections), [
    gauge('civic_projection_position', 'Events of the log that the projection has passed.', 'eventsRead'),
    gauge('civic_projection_paused', '1 while the projection is paused at an event that it cannot fold.', isPaused),
    counter(
      'civic_projection_takeovers_total',
      'Number of times a process has acquired the lease of the projection.',
      'takeovers',
    ),
  ]),
  ...ofEach<Operations['reactors'][number], Operations>('reactor', ({ reactors }) => reactors, [
    gauge('civic_reactor_lag_events', 'Events in the log that the reactor has not reached.', 'lagEvents'),
    gauge('civic_reactor_lag_seconds', 'Age of the oldest event that the reactor has not handled.', 'lagSeconds'),
    gauge('civic_reactor_paused', '1 while the reactor is paused at an event that it cannot handle.', isPaused),
    counter('civic_reactor_handled_events_total', 'Events that the reactor has handled in all processes.', 'handled'),
    counter(
      'civic_reactor_takeovers_total',
      'Number of times a process has acquired the lease of the reactor.',
      'takeovers',
    ),
  ]),
];

const durationSeries = (measure: 'first_move' | 'closing', { bounds, durations }: ReportFigures) =>
  labeled(
    'status',
    durations
      .filter((series) => series.measure === measure)
      .map(({ status, counts, seconds }) => [status, { counts, sum: seconds, bounds }]),
  );

/** Missing-data reports, from their read model: the same in every process. `now` in clock milliseconds. */
export const REPORT_METRICS: readonly Definition<{ readonly figures: ReportFigures; readonly now: number }>[] = [
  gauge('civic_reports_open', 'Open missing-data reports.', ({ figures: { open } }) =>
    ofNames('status', OPEN_REPORT_STATUSES, (status) => open.get(status) ?? 0),
  ),
  gauge(
    'civic_reports_oldest_open_seconds',
    'Age of the oldest open missing-data report; 0 without one.',
    ({ figures: { oldestOpen }, now }) => (oldestOpen === null ? 0 : Math.max(0, now - oldestOpen) / 1000),
  ),
  histogram(
    'civic_reports_first_move_seconds',
    'Time from the receipt of a missing-data report to its first move, by the new status.',
    ({ figures }) => durationSeries('first_move', figures),
  ),
  histogram(
    'civic_reports_closing_seconds',
    'Time from the receipt of a missing-data report to its closing, by the final status.',
    ({ figures }) => durationSeries('closing', figures),
  ),
];
