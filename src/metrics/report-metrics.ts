import { Gauge, type MetricValueWithName, type Registry } from 'prom-client';
import type { ReportFigures } from '../../queries/report-figures.ts';
import type { Clock } from '../domain/ports/clock.ts';
import { OPEN_REPORT_STATUSES } from '../domain/report-words.ts';
import { CountedDurations, durationSeries } from './counted-durations.ts';

type Label = 'status';

const valuesOf = (name: string, { bounds, durations }: ReportFigures, measure: string): MetricValueWithName<Label>[] =>
  durations
    .filter((series) => series.measure === measure)
    .flatMap(({ status, counts, seconds }) => durationSeries<Label>(name, { status }, bounds, { counts, sum: seconds }));

/**
 * Missing-data reports: open by status, the age of the oldest open one, and how long reports took to their first move and to their closing.
 * Every process tells the same, from the read model; while that cannot be read, which is null, they are absent.
 */
export const registerReportMetrics = (
  registry: Registry,
  clock: Pick<Clock, 'now'>,
  figures: () => Promise<ReportFigures | null>,
): void => {
  const open = new Gauge({
    name: 'civic_reports_open',
    help: 'Missing-data reports that are open.',
    labelNames: ['status'],
    registers: [],
    async collect() {
      const known = await figures();
      this.reset();
      if (known === null) return;
      for (const status of OPEN_REPORT_STATUSES) this.set({ status }, known.open.get(status) ?? 0);
    },
  });
  const oldest = new Gauge({
    name: 'civic_reports_oldest_open_seconds',
    help: 'Age of the oldest missing-data report that is open; 0 while none is.',
    labelNames: [] as const,
    registers: [],
    async collect() {
      const known = await figures();
      this.remove();
      if (known !== null) this.set(known.oldestOpen === null ? 0 : Math.max(0, clock.now() - known.oldestOpen) / 1000);
    },
  });
  const durations = (measure: 'first_move' | 'closing', help: string) => {
    const name = `civic_reports_${measure}_seconds`;
    return new CountedDurations(name, help, ['status'], async () => {
      const known = await figures();
      return known === null ? [] : valuesOf(name, known, measure);
    });
  };
  registry.registerMetric(open);
  registry.registerMetric(oldest);
  registry.registerMetric(
    durations('first_move', 'Time from the receipt of a missing-data report to its first move, by the status it moved to.'),
  );
  registry.registerMetric(
    durations('closing', 'Time from the receipt of a missing-data report to its closing, by the status it was closed with.'),
  );
};
