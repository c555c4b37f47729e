import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseReport, moveReport } from '../../commands/reports/work-on-report.ts';
import type { ReportMove } from '../../commands/reports/report-decider.ts';
import { readReportFigures } from '../../queries/reports/report-figures.ts';
import { Rejection } from '../../domain/rejections.ts';
import { register } from '../../src/edge/metrics/metric.ts';
import { REPORT_METRICS } from '../../src/edge/metrics/shared-metrics.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openReports, type TestReports } from '../support/reports.ts';

let database: TestDatabase;
let reports: TestReports;

beforeAll(async () => {
  database = await startTestDatabase();
  reports = await openReports(database.url);
});
afterAll(async () => {
  await reports?.close();
  await database?.close();
});

const EMPTY = { reasonCode: null, finding: null, nextAction: null, verifiedRecords: [], nextCheckAt: null };
async function move(reportId: string, ...moves: readonly [Pick<ReportMove, 'to'>, ...Pick<ReportMove, 'to'>[]]) {
  const { accountId, revision } = await reports.report(reportId);
  const leased = await leaseReport(reports.work, {
    reportId,
    accountId,
    holder: 'ann',
    leaseMs: 1000,
    dailyBudget: 99,
    whilePaused: false,
  });
  if (leased instanceof Rejection) throw leased;
  const [first, ...others] = moves.map((one): ReportMove => ({ ...EMPTY, finding: 'It is so.', ...one }));
  const handled = await moveReport(reports.work, leased.lease, revision, { moves: [first!, ...others], note: null });
  expect(handled).toMatchObject({ kind: 'appended' });
}
/** The metrics of another process that has just started. */
async function reportLines(): Promise<readonly string[]> {
  await reports.caughtUp(undefined, ['reports']);
  const registry = new Registry();
  register(registry, REPORT_METRICS, async () => ({
    figures: await readReportFigures(reports.reads),
    now: reports.clock.now(),
  }));
  return (await registry.metrics()).split('\n');
}

test('open reports by status, the oldest age and the times to first move and closing are reported', async () => {
  expect(await reportLines()).toContain('civic_reports_oldest_open_seconds 0');
  const input = { sourceUrl: 'https://example.org/a', expectedRecord: 'A record' };
  const [first, second, third] = [
    await reports.submit('a', input),
    await reports.submit('b', input),
    await reports.submit('c', input),
  ];
  reports.clock.advance(5_000);
  await move(first, { to: 'investigating' });
  reports.clock.advance(3_600_000);
  await move(first, { to: 'not_found' });
  await move(second, { to: 'investigating' }, { to: 'awaiting_source' });
  reports.clock.advance(100 * 86_400_000);
  const lines = await reportLines();
  for (const line of [
    'civic_reports_open{status="received"} 1',
    'civic_reports_open{status="investigating"} 0',
    'civic_reports_open{status="awaiting_source"} 1',
    'civic_reports_oldest_open_seconds 8643605',
    'civic_reports_first_move_seconds_bucket{le="1",status="investigating"} 0',
    'civic_reports_first_move_seconds_bucket{le="10",status="investigating"} 1',
    'civic_reports_first_move_seconds_bucket{le="21600",status="investigating"} 2',
    'civic_reports_first_move_seconds_bucket{le="+Inf",status="investigating"} 2',
    'civic_reports_first_move_seconds_sum{status="investigating"} 3610',
    'civic_reports_closing_seconds_bucket{le="3600",status="not_found"} 0',
    'civic_reports_closing_seconds_bucket{le="21600",status="not_found"} 1',
    'civic_reports_closing_seconds_count{status="not_found"} 1',
    'civic_reports_closing_seconds_sum{status="not_found"} 3605',
  ]) {
    expect(lines).toContain(line);
  }
  await move(third, { to: 'declined' });
  expect(await reportLines()).toContain('civic_reports_closing_seconds_bucket{le="+Inf",status="declined"} 1');
  expect(await reportLines()).toContain('civic_reports_closing_seconds_bucket{le="2592000",status="declined"} 0');
  const fourth = await reports.submit('d', input);
  reports.clock.advance(6_000);
  await move(fourth, { to: 'investigating' });
  expect(await reportLines()).toContain('civic_reports_first_move_seconds_bucket{le="10",status="investigating"} 2');
  expect(await reportLines()).toContain('civic_reports_first_move_seconds_sum{status="investigating"} 3616');
});

test('figures that cannot be read are absent, and the others are reported', async () => {
  const registry = new Registry();
  register(registry, REPORT_METRICS, () => null);
  const text = await registry.metrics();
  expect(text).not.toMatch(/^civic_reports_\w+(\{.*\})? \d/m);
  expect(text).toContain('# HELP civic_reports_open');
});
