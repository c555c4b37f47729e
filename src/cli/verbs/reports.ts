import type { Command } from 'commander';
import { leaseReport, MAX_LEASE_MS } from '../../../commands/reports/work-on-report.ts';
import { turnReportSwitch } from '../../../commands/reports/turn-switch.ts';
import { type KnownReport, knownReports } from '../../../queries/reports/known-reports.ts';
import { readReportEvent, type ReportEvent } from '../../../domain/events/report-events.ts';
import type { EventLog } from '../../../domain/ports/event-log.ts';
import { streamEvents } from '../../../domain/read-log.ts';
import { reportStream } from '../../../domain/streams.ts';
import type { Civic } from '../../civic.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { readSwitches, REPORT_SWITCHES } from '../../../domain/report-switches.ts';
import { OPEN_REPORT_STATUSES, REPORT_STATUSES } from '../../../domain/reports.ts';
import { dueReports } from '../../processors/reactors/reports/report-reactors.ts';
import type { CliContext } from '../context.ts';
import { print, visible } from '../output.ts';
import { durationMs, ofReport, personName, reportOf, reportSwitch, rowLimit } from '../report-arguments.ts';
import { DEADLINE_MS, failedAs, oneOf, requireHandled, runs, uuidParser, waitUntilVisible } from '../verb.ts';
import { addMoveCommands } from './report-moves.ts';

const MAX_LEASE_DAYS = MAX_LEASE_MS / 86_400_000;
/** Timers of Node.js are limited to 24.8 days. */
const MAX_PAUSE_DAYS = 7;

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

export function addReportsCommands(program: Command, context: CliContext): void {
  const reports = program.command('reports').description("missing-data reports: the investigator's side");
  const verb = (words: string, description: string): Command => reports.command(words).description(description);
  runs(
    context,
    'read models',
    verb('list', 'open reports, those without an investigation first, then the oldest')
      .option('--status <statuses>', `of these statuses, separated by commas: ${REPORT_STATUSES.join(', ')}`)
      .option('--all', 'closed ones too')
      .option('--account <id>', 'of one account', uuidParser('--account'))
      .option('--jurisdiction <slug>', 'of one jurisdiction, as the report names it')
      .option('--older-than <duration>', 'submitted so long ago or longer, such as P1D or PT6H')
      .option('--holder <name>', 'leased now by this holder')
      .option('--limit <number>', 'at most so many', '100'),
    listed,
  );
  runs(
    context,
    'read models',
    ofReport(verb('show', 'a report and its whole history, from its events')),
    (civic, options: Options, report) => show(context, civic, report, options),
  );
  runs(
    context,
    'read models',
    ofReport(verb('lease', 'take the lease of a report, or renew it: a report is moved and noted only under its lease'))
      .requiredOption('--holder <name>', 'who works on it')
      .option('--for <duration>', 'how long, such as PT1H; P30D at most', 'PT1H')
      .option('--while-paused', 'also while work on reports is paused'),
    (civic, options: Options, report) => lease(context, civic, report, options),
  );
  addMoveCommands(reports, context);
  for (const [name, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    runs(
      context,
      'read models',
      verb(`${name} <what>`, `${name} ${REPORT_SWITCHES.join(' or ')}, in every process at once`)
        .option('--by <name>', 'name of the operator', 'operator')
        .option('--reason <text>', 'why'),
      (civic, options: Options, what) => turn(context, civic, { what, paused, options }),
    );
  }
  runs(
    context,
    'read models',
    verb('work', 'work on what needs no person, again and again until stopped')
      .option('--once', 'one turn over what is due now')
      .option('--every <duration>', 'time between two turns', 'PT1M'),
    (civic, options: Options) => work(context, civic, options),
  );
}

async function listed(civic: Civic, options: Options) {
  const { clock, reads, reporting } = civic;
  const leases = new Map((await reporting.worker.leases.held(clock.now())).map((held) => [held.reportId, held]));
  const statuses =
    options.status === undefined ? undefined : options.status.split(',').map((status) => oneOf('--status', REPORT_STATUSES, status.trim()));
  const onlyOpen = statuses === undefined && options.all !== true;
  const wantedHolder = options.holder === undefined ? undefined : personName('--holder', options.holder);
  const held = [...leases.values()].filter(({ holder }) => holder === wantedHolder).map(({ reportId }) => reportId);
  const found = await knownReports(
    reads,
    {
      statuses: onlyOpen ? OPEN_REPORT_STATUSES : statuses,
      accountId: options.account,
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
}

const cut = (text: string, longest: number): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`);

interface ReportHappening {
  readonly at: string;
  readonly what: string;
  /** Holder and token of the lease; null without one. */
  readonly by: string | null;
  readonly details: readonly string[];
}

/** The history of a report from its events, oldest first. */
async function historyOf(log: EventLog, report: KnownReport): Promise<readonly ReportHappening[]> {
  const happenings: ReportHappening[] = [{ at: report.submittedAt, what: 'received', by: null, details: [] }];
  for await (const stored of streamEvents(log, reportStream(report.reportId))) happenings.push(happening(readReportEvent(stored)));
  return happenings;
}

function happening({ type, data }: ReportEvent): ReportHappening {
  const by = `${data.holder} (lease ${data.fencingToken})`;
  switch (type) {
    case 'DataReportLeased':
      return { at: data.leasedAt, what: 'leased', by, details: [`until ${data.leaseUntil} unless renewed`] };
    case 'DataReportMoved': {
      const { from, to, reasonCode, finding, nextAction, verifiedRecords, nextCheckAt } = data;
      const details = [
        ...(reasonCode === null ? [] : [`reason: ${reasonCode}`]),
        ...(finding === null ? [] : [`finding: ${finding}`]),
        ...(nextAction === null ? [] : [`next action: ${nextAction}`]),
        ...verifiedRecords.map(({ itemId, sourceUrl, title }) => `record: ${itemId} ${title ?? ''} ${sourceUrl}`),
        ...(nextCheckAt === null ? [] : [`next check: ${nextCheckAt}`]),
      ];
      return { at: data.movedAt, what: `${from} -> ${to}`, by, details };
    }
    case 'DataReportNoted': {
      const check = data.nextCheckAt === null ? [] : [`next check: ${data.nextCheckAt}`];
      return { at: data.notedAt, what: 'noted', by, details: [...data.note.split('\n'), ...check] };
    }
  }
}

async function show(context: CliContext, civic: Civic, argument: string, options: Options): Promise<void> {
  const report = await reportOf(civic, argument);
  const held = await civic.reporting.worker.leases.current(report.reportId, civic.clock.now());
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
}

async function lease(context: CliContext, civic: Civic, argument: string, options: Options) {
  const { reportId, accountId } = await reportOf(civic, argument);
  const leased = await leaseReport(civic.reporting.worker, {
    reportId,
    accountId,
    holder: personName('--holder', options.holder!),
    leaseMs: durationMs('--for', options.for, MAX_LEASE_DAYS),
    dailyBudget: civic.settings.CIVIC_REPORT_DAILY_BUDGET,
    whilePaused: options.whilePaused === true,
  });
  if (leased instanceof Rejection) throw failedAs(leased);
  const { holder, token, leaseUntil } = leased.lease;
  const { status, revision } = leased.state;
  await waitUntilVisible(context, civic, await civic.log.head());
  return { reportId, holder, token, leaseUntil: new Date(leaseUntil).toISOString(), status, revision };
}

async function turn(
  context: CliContext,
  civic: Civic,
  { what, paused, options }: { readonly what: string; readonly paused: boolean; readonly options: Options },
) {
  const change = { paused, by: personName('--by', options.by), reason: options.reason ?? null };
  const handled = await turnReportSwitch(civic, reportSwitch(what), change, civic.clock.now() + DEADLINE_MS);
  await requireHandled(context, civic, handled);
  const { intake, worker } = await readSwitches(civic.log);
  return { intake: intake.paused ? 'paused' : 'running', worker: worker.paused ? 'paused' : 'running' };
}

const STOPPED = { worker_paused: 'work on reports is paused', budget_exhausted: 'the investigations of the day are used up' } as const;

async function work(context: CliContext, civic: Civic, options: Options): Promise<void> {
  const { worker } = civic.reporting;
  if (options.once === true) {
    const { position, ...done } = await dueReports(worker, context.stopping);
    // If nothing was done, only the reason is printed.
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
  const every = durationMs('--every', options.every, MAX_PAUSE_DAYS);
  civic.startReactors(civic.reporting.reactors.map(({ name }) => name));
  while (!context.stopping.aborted) {
    await dueReports(worker, context.stopping);
    await civic.clock.sleep(every, context.stopping).catch(() => undefined);
  }
}
