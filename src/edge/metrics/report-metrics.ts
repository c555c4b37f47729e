import type { MetricValueWithName, Registry } from 'prom-client';
import type { ReportFigures } from '../../../queries/reports/report-figures.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { OPEN_REPORT_STATUSES } from '../../../domain/reports.ts';
import { collectGauge, CountedDurations, durationSeries, one } from './collected.ts';

type Label = 'status';

const valuesOf = (name: string, { bounds, durations }: ReportFigures, measure: string): MetricValueWithName<Label>[] =>
  durations
    .filter((series) => series.measure === measure)
    .flatMap(({ status, counts, seconds }) => durationSeries<Label>(name, { status }, bounds, { counts, sum: seconds }));

/**
 * Missing-data reports: open by status, the age of the oldest open one, and how long reports took to their first move and to their closing.
 * Every process reports the same, from the read model; while that cannot be read, which is null, they are absent.
 */
export function registerReportMetrics(registry: Registry, clock: Pick<Clock, 'now'>, figures: () => Promise<ReportFigures | null>): void {
  collectGauge(registry, { name: 'civic_reports_open', help: 'Missing-data reports that are open.', label: 'status' }, async () => {
    const known = await figures();
    return known === null ? [] : OPEN_REPORT_STATUSES.map((status) => [{ status }, known.open.get(status) ?? 0]);
  });
  const age = 'Age of the oldest missing-data report that is open; 0 while none is.';
  collectGauge(registry, { name: 'civic_reports_oldest_open_seconds', help: age }, async () => {
    const known = await figures();
    return one(known && (known.oldestOpen === null ? 0 : Math.max(0, clock.now() - known.oldestOpen) / 1000));
  });
  const durations = (measure: 'first_move' | 'closing', help: string): void => {
    const name = `civic_reports_${measure}_seconds`;
    const values = async () => {
      const known = await figures();
      return known === null ? [] : valuesOf(name, known, measure);
    };
    registry.registerMetric(new CountedDurations(name, help, ['status'], values));
  };
  durations('first_move', 'Time from the receipt of a missing-data report to its first move, by the status it moved to.');
  durations('closing', 'Time from the receipt of a missing-data report to its closing, by the status it was closed with.');
}
