import type { Command } from 'commander';
import { leaseReport, LONGEST_LEASE_MS } from '../../../commands/reports/lease-report.ts';
import { turnReportSwitch } from '../../../commands/reports/turn-switch.ts';
import { knownReports } from '../../../queries/known-reports.ts';
import type { Civic } from '../../civic.ts';
import { uuid } from '../../domain/records/fields.ts';
import { Rejection } from '../../domain/rejections.ts';
import { readSwitches, REPORT_SWITCHES } from '../../domain/report-switches.ts';
import { OPEN_REPORT_STATUSES, REPORT_STATUSES } from '../../domain/report-words.ts';
import { dueReports } from '../../reactors/reports/report-worker.ts';
import type { CliContext } from '../context.ts';
import { DEADLINE_MS, parseOption } from '../options.ts';
import { print, visible } from '../output.ts';
import { historyOf } from '../report-history.ts';
import { durationMs, holderName, listOf, reportStatus, reportSwitch, rowLimit } from '../report-options.ts';
import { waitUntilVisible } from '../with-civic.ts';
import { failedAs, reportOf, withReports } from '../with-reports.ts';
import { addMoveCommands } from './report-moves.ts';

const LONGEST_LEASE_DAYS = LONGEST_LEASE_MS / 86_400_000;
/** Timers of the runtime go little further. */
const LONGEST_PAUSE_DAYS = 7;

interface Options {
  readonly json?: boolean;
  readonly status?: string;
  readonly account?: string;
  readonly jurisdiction?: string;
  readonly olderThan?: string;
  readonly holder?: string;
  readonly all?: boolean;
  readonly limit: string;
  readonly for: string;
  readonly whilePaused?: boolean;
  readonly by: string;
  readonly reason?: string;
  readonly once?: boolean;
  readonly every: string;
}

export const addReportsCommands = (program: Command, context: CliContext): void => {
  const reports = program.command('reports').description("missing-data reports: the investigator's side");
  reports
    .command('list')
    .description('open reports, oldest first; those nobody has looked at before all others')
    .option('--status <statuses>', `of these statuses, separated by commas: ${REPORT_STATUSES.join(', ')}`)
    .option('--all', 'closed ones too')
    .option('--account <id>', 'of one account')
    .option('--jurisdiction <slug>', 'of one jurisdiction, as the report names it')
    .option('--older-than <duration>', 'submitted so long ago or longer, such as P1D or PT6H')
    .option('--holder <name>', 'leased now by this holder')
    .option('--limit <number>', 'at most so many', '100')
    .option('--json', 'print one JSON value')
    .action((options: Options) => withReports(context, async (civic) => print(context, await listed(civic, options), options)));
  reports
    .command('show <report>')
    .description('a report and its whole history, from its events')
    .option('--json', 'print one JSON value')
    .action((argument: string, options: Options) => withReports(context, (civic) => show(context, civic, argument, options)));
  reports
    .command('lease <report>')
    .description('take the lease of a report, or renew it: nothing is moved or noted without it')
    .requiredOption('--holder <name>', 'who works on it')
    .option('--for <duration>', 'how long, such as PT1H; P30D at most', 'PT1H')
    .option('--while-paused', 'also while work on reports is paused')
    .option('--json', 'print one JSON value')
    .action((argument: string, options: Options) => withReports(context, (civic) => lease(context, civic, argument, options)));
  addMoveCommands(reports, context);
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    reports
      .command(`${name} <what>`)
      .description(`${name} ${REPORT_SWITCHES.join(' or ')}, in every process at once`)
      .option('--by <name>', 'who says so', 'operator')
      .option('--reason <text>', 'why')
      .option('--json', 'print one JSON value')
      .action((what: string, options: Options) =>
        withReports(context, async (civic) => print(context, await turn(context, civic, { what, paused, options }), options)),
      );
  }
  reports
    .command('work')
    .description('work on what needs no person, again and again until stopped')
    .option('--once', 'one turn over what is due now')
    .option('--every <duration>', 'time between two turns', 'PT1M')
    .option('--json', 'print one JSON value, with --once')
    .action((options: Options) => withReports(context, (civic) => work(context, civic, options)));
};

const listed = async (civic: Civic, options: Options) => {
  const { clock, reads, reporting } = civic;
  const leases = new Map((await reporting.work.leases.held(clock.now())).map((held) => [held.reportId, held]));
  const statuses = options.status === undefined ? undefined : listOf(options.status).map((status) => reportStatus('--status', status));
  const onlyOpen = statuses === undefined && options.all !== true;
  const wantedHolder = options.holder === undefined ? undefined : holderName('--holder', options.holder);
  const held = [...leases.values()].filter(({ holder }) => holder === wantedHolder).map(({ reportId }) => reportId);
  const found = await knownReports(
    reads,
    {
      statuses: onlyOpen ? OPEN_REPORT_STATUSES : statuses,
      accountId: options.account === undefined ? undefined : parseOption('--account', uuid, options.account, 'a uuid'),
      jurisdictionSlug: options.jurisdiction,
      submittedUpTo: options.olderThan === undefined ? undefined : clock.now() - durationMs('--older-than', options.olderThan),
      reportIds: wantedHolder === undefined ? undefined : held,
    },
    rowLimit('--limit', options.limit),
  );
  return found.map(({ reportId, accountId, status, reasonCode, submittedAt, nextCheckAt, input }) => ({
    reportId,
    accountId,
    status,
    reasonCode,
    submittedAt,
    nextCheckAt,
    holder: leases.get(reportId)?.holder ?? null,
    jurisdiction: input.jurisdictionSlug ?? null,
    sourceUrl: options.json === true ? input.sourceUrl : cut(input.sourceUrl, 60),
    expectedRecord: options.json === true ? input.expectedRecord : cut(input.expectedRecord.replaceAll(/\s+/g, ' '), 60),
  }));
};

const cut = (text: string, longest: number): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`);

const show = async (context: CliContext, civic: Civic, argument: string, options: Options): Promise<void> => {
  const report = await reportOf(civic, argument);
  const held = await civic.reporting.work.leases.current(report.reportId, civic.clock.now());
  const history = await historyOf(civic.log, report);
  const { input, note: _, ...rest } = report;
  const leased = held === null ? null : { holder: held.holder, token: held.token, until: new Date(held.leaseUntil).toISOString() };
  if (options.json === true) {
    print(context, { ...rest, lease: leased, input, history }, options);
    return;
  }
  print(context, { ...rest, lease: leased, ...input }, {});
  context.stdout.write('\n');
  for (const { at, what, by, details } of history) {
    context.stdout.write(`${visible(`${at}  ${what}${by === null ? '' : `  by ${by}`}`)}\n`);
    for (const line of details) context.stdout.write(`    ${visible(line)}\n`);
  }
};

const lease = async (context: CliContext, civic: Civic, argument: string, options: Options): Promise<void> => {
  const { reportId, accountId } = await reportOf(civic, argument);
  const leased = await leaseReport(civic.reporting.work, {
    reportId,
    accountId,
    holder: holderName('--holder', options.holder!),
    leaseMs: durationMs('--for', options.for, LONGEST_LEASE_DAYS),
    dailyBudget: civic.settings.CIVIC_REPORT_DAILY_BUDGET,
    whilePaused: options.whilePaused === true,
  });
  if (leased instanceof Rejection) throw failedAs(leased);
  const { holder, token, leaseUntil } = leased.lease;
  const { status, revision } = leased.state;
  await waitUntilVisible(context, civic, await civic.log.head());
  print(context, { reportId, holder, token, leaseUntil: new Date(leaseUntil).toISOString(), status, revision }, options);
};

const turn = async (
  context: CliContext,
  civic: Civic,
  { what, paused, options }: { readonly what: string; readonly paused: boolean; readonly options: Options },
) => {
  const turned = { paused, by: holderName('--by', options.by), reason: options.reason ?? null };
  const handled = await turnReportSwitch(civic, reportSwitch(what), turned, civic.clock.now() + DEADLINE_MS);
  if (handled.kind === 'rejected') throw failedAs(handled.rejection);
  if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
  const { intake, worker } = await readSwitches(civic.log);
  return { intake: intake.paused ? 'paused' : 'running', worker: worker.paused ? 'paused' : 'running' };
};

const STOPPED = { worker_paused: 'work on reports is paused', budget_exhausted: 'the investigations of the day are used up' } as const;

const work = async (context: CliContext, civic: Civic, options: Options): Promise<void> => {
  const { worker } = civic.reporting;
  if (options.once === true) {
    const { position, ...done } = await dueReports(worker, context.stopping);
    // Where nothing was done there is nothing to tell but why.
    if (done.stopped === 'worker_paused') throw failedAs(new Rejection(done.stopped, STOPPED[done.stopped]));
    await waitUntilVisible(context, civic, position);
    const counts = {
      looked: done.looked,
      moved: done.moved.length,
      noted: done.noted.length,
      left: done.left.length,
      failed: done.failed.length,
    };
    print(context, options.json === true ? done : counts, options);
    if (done.stopped !== null) throw failedAs(new Rejection(done.stopped, STOPPED[done.stopped]));
    return;
  }
  const every = durationMs('--every', options.every, LONGEST_PAUSE_DAYS);
  civic.startReactors(civic.reporting.reactors.map(({ name }) => name));
  while (!context.stopping.aborted) {
    await dueReports(worker, context.stopping);
    await civic.clock.sleep(every, context.stopping).catch(() => undefined);
  }
};
