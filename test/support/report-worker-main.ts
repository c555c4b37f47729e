import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { leaseReport, moveReport, type ReportWork } from '../../commands/reports/work-on-report.ts';
import { Rejection } from '../../domain/rejections.ts';
import { category } from '../../domain/streams.ts';
import { openReports } from './reports.ts';
import { seededRandom } from './seeded-random.ts';

/**
 * A process that works on reports. `race`: waits for a line, then tries to lease and move each of the given reports in
 * random order, and prints the results as JSON. `stall`: runs the worker's turn and says `appending` before it moves a
 * report, and goes no further.
 */
const [mode, url, seed, budget, ...reportIds] = process.argv.slice(2) as [
  'race' | 'stall',
  string,
  string,
  string,
  ...string[],
];
const reports = await openReports(url, { folds: false });
const say = (text: string): void => void process.stdout.write(`${text}\n`);

if (mode === 'race') {
  const lines = createInterface({ input: process.stdin });
  const random = seededRandom(Number(seed));
  const reportRows = await Promise.all(reportIds.map((id) => reports.report(id)));
  say('ready');
  await once(lines, 'line');
  const outcomes: Record<string, string> = {};
  for (const { reportId, accountId, revision } of reportRows.toSorted(() => random.next() - 0.5)) {
    const holder = `holder ${seed}`;
    const request = { reportId, accountId, holder, leaseMs: 60_000, dailyBudget: Number(budget), whilePaused: false };
    const leased = await leaseReport(reports.work, request);
    if (leased instanceof Rejection) {
      outcomes[reportId] = leased.code;
      continue;
    }
    const statement = { reasonCode: null, finding: null, nextAction: null, verifiedRecords: [], nextCheckAt: null };
    const moved = await moveReport(reports.work, leased.lease, revision, {
      moves: [{ to: 'investigating', ...statement }],
      note: null,
    });
    outcomes[reportId] = moved.kind === 'rejected' ? moved.rejection.code : moved.kind;
    if (random.chance(0.5)) await reports.leases.release(leased.lease);
  }
  say(JSON.stringify(outcomes));
  await reports.close();
  lines.close();
} else {
  const { worker } = reports.parts({ holder: `stalled ${seed}` });
  const log: ReportWork['log'] = {
    ...worker.log,
    append: async (append) => {
      if (category(append.stream) !== 'report' || append.events.every(({ type }) => type === 'DataReportLeased'))
        return worker.log.append(append);
      say('appending');
      return new Promise<never>(() => undefined);
    },
  };
  await reports.turn({ ...worker, log });
}
