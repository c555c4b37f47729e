import type { Command } from '@commander-js/extra-typings';
import { z } from 'zod';
import { turnReportSwitch } from '../../../commands/reports/turn-switch.ts';
import { leaseReport, MAX_LEASE_MS } from '../../../commands/reports/work-on-report.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../domain/durations.ts';
import {
  readReportEvent,
  readSwitches,
  REPORT_SWITCHES,
  type ReportEvent,
} from '../../../domain/events/report-events.ts';
import { streamEvents } from '../../../domain/read-log.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { OPEN_REPORT_STATUSES, REPORT_STATUSES } from '../../../domain/reports.ts';
import { reportStream } from '../../../domain/streams.ts';
import { visible } from '../../../plumbing/visible-text.ts';
import { type KnownReport, knownReports } from '../../../queries/reports/known-reports.ts';
import type { Civic } from '../../app/civic.ts';
import type { CliContext } from '../context.ts';
import { print } from '../output.ts';
import {
  DEADLINE_MS,
  durationParser,
  listParser,
  parser,
  requireHandled,
  runs,
  textParser,
  uuidParser,
  waitUntilVisible,
  wholeParser,
} from '../verb.ts';
import { addMoveCommand, addNoteCommand, ofReport, reportOf } from './report-moves.ts';
import { dueReports } from '../../processors/reactors/reports/report-reactors.ts';

const MAX_LEASE_DAYS = MAX_LEASE_MS / DAY_MS;
/** Timers of Node.js are limited to 24.8 days. */
const MAX_PAUSE_DAYS = 7;
const CENTURY_DAYS = 36_525;

export function addReportsCommands(program: Command, context: CliContext): void {
  const reports = program.command('reports').description('investigate missing-data reports');
  addList(reports, context);
  addShow(reports, context);
  addLease(reports, context);
  addMoveCommand(reports, context);
  addNoteCommand(reports, context);
  addSwitches(reports, context);
  addWork(reports, context);
}

const verb = (reports: Command, words: string, description: string): Command =>
  reports.command(words).description(description);

function addList(reports: Command, context: CliContext): void {
  const list = verb(reports, 'list', 'list open reports, unassigned ones first, then by age')
    .option(
      '--status <statuses>',
      `of these statuses, separated by commas: ${REPORT_STATUSES.join(', ')}`,
      listParser('--status', REPORT_STATUSES, REPORT_STATUSES.join(', ')),
    )
    .option('--all', 'include closed reports')
    .option('--account <id>', 'only reports of this account', uuidParser('--account'))
    .option('--jurisdiction <slug>', 'only reports that name this jurisdiction')
    .option(
      '--older-than <duration>',
      'minimum age, such as P1D or PT6H',
      durationParser('--older-than', CENTURY_DAYS, 'a century'),
    )
    .option('--holder <name>', 'only reports leased by this holder', textParser('--holder', 200))
    .option('--limit <number>', 'maximum number of reports', wholeParser('--limit', 1, 9999), 100);
  runs(context, 'read models', list, async ({ clock, reads, reporting }, options) => {
    const { status, all = false, holder, json = false } = options;
    const leases = await reporting.worker.leases.listValid(clock.now());
    const leasedByHolder = leases.filter((lease) => lease.holder === holder).map(({ reportId }) => reportId);
    const filter = {
      statuses: status ?? (all ? undefined : OPEN_REPORT_STATUSES),
      accountId: options.account,
      jurisdictionSlug: options.jurisdiction,
      submittedUpTo: options.olderThan === undefined ? undefined : clock.now() - options.olderThan,
      reportIds: holder === undefined ? undefined : leasedByHolder,
    };
    const holders = new Map(leases.map((lease) => [lease.reportId, lease.holder]));
    return (await knownReports(reads, filter, options.limit)).map((report) =>
      listedReport(report, holders.get(report.reportId) ?? null, json),
    );
  });
}

const MAX_LISTED_TEXT = 60;
const cutText = (text: string): string =>
  text.length <= MAX_LISTED_TEXT ? text : `${text.slice(0, MAX_LISTED_TEXT - 1)}…`;

function listedReport(report: KnownReport, holder: string | null, isWhole: boolean) {
  const { reportId, accountId, status, reasonCode, submittedAt, nextCheckAt, input } = report;
  const texts = isWhole
    ? { sourceUrl: input.sourceUrl, expectedRecord: input.expectedRecord }
    : {
        sourceUrl: cutText(input.sourceUrl),
        expectedRecord: cutText(input.expectedRecord.replaceAll(/\s+/g, ' ')),
      };
  const jurisdiction = input.jurisdictionSlug ?? null;
  return { reportId, accountId, status, reasonCode, submittedAt, nextCheckAt, holder, jurisdiction, ...texts };
}

function addShow(reports: Command, context: CliContext): void {
  const show = ofReport(verb(reports, 'show', 'show a report and its history'));
  runs(context, 'read models', show, async (civic, id, { json = false }) => {
    const { input, note: _, ...report } = await reportOf(civic, id);
    const stored = await civic.reporting.worker.leases.current(report.reportId, civic.clock.now());
    const lease =
      stored === null
        ? null
        : { holder: stored.holder, token: stored.token, until: new Date(stored.leaseUntil).toISOString() };
    const history: ReportHappening[] = [{ at: report.submittedAt, what: 'received', by: null, details: [] }];
    for await (const stored of streamEvents(civic.log, reportStream(report.reportId)))
      history.push(happening(readReportEvent(stored)));
    if (json) return { ...report, lease, input, history };
    print(context, { ...report, lease, ...input }, { json });
    context.stdout.write('\n');
    for (const { at, what, by, details } of history) {
      context.stdout.write(`${visible(`${at}  ${what}${by === null ? '' : `  by ${by}`}`)}\n`);
      for (const line of details) context.stdout.write(`    ${visible(line)}\n`);
    }
    return undefined;
  });
}

function addLease(reports: Command, context: CliContext): void {
  const lease = ofReport(
    verb(reports, 'lease', 'lease a report or renew its lease; `move` and `note` require the lease'),
  )
    .requiredOption('--holder <name>', 'name of the investigator', textParser('--holder', 200))
    .option(
      '--for <duration>',
      'duration of the lease, such as PT1H; at most P30D',
      durationParser('--for', MAX_LEASE_DAYS),
      HOUR_MS,
    )
    .option('--while-paused', 'even while report work is paused');
  runs(context, 'read models', lease, async (civic, id, { holder, for: leaseMs, whilePaused = false }) => {
    const { reportId, accountId } = await reportOf(civic, id);
    const dailyBudget = civic.settings.CIVIC_REPORT_DAILY_BUDGET;
    const leased = await leaseReport(civic.reporting.worker, {
      reportId,
      accountId,
      holder,
      leaseMs,
      dailyBudget,
      whilePaused,
    });
    if (leased instanceof Rejection) throw leased;
    await waitUntilVisible(context, civic, await civic.log.head());
    const { token, leaseUntil } = leased.lease;
    const { status, revision } = leased.state;
    return {
      reportId,
      holder: leased.lease.holder,
      token,
      leaseUntil: new Date(leaseUntil).toISOString(),
      status,
      revision,
    };
  });
}

function addSwitches(reports: Command, context: CliContext): void {
  for (const name of ['pause', 'resume'] as const) {
    const turn = reports
      .command(name)
      .argument('<what>', '', parser('the switch', z.enum(REPORT_SWITCHES), REPORT_SWITCHES.join(' or ')))
      .description(`${name} ${REPORT_SWITCHES.join(' or ')}, in every process at once`)
      .option('--by <name>', 'name of the operator', textParser('--by', 200), 'operator')
      .option('--reason <text>', 'why');
    runs(context, 'read models', turn, async (civic, what, { by, reason = null }) => {
      const change = { paused: name === 'pause', by, reason };
      await requireHandled(
        context,
        civic,
        await turnReportSwitch(civic, what, change, civic.clock.now() + DEADLINE_MS),
      );
      const { intake, worker } = await readSwitches(civic.log);
      return { intake: intake.paused ? 'paused' : 'running', worker: worker.paused ? 'paused' : 'running' };
    });
  }
}

function addWork(reports: Command, context: CliContext): void {
  const work = verb(reports, 'work', 'process reports automatically until stopped')
    .option('--once', 'process the reports that are due now, then exit')
    .option('--every <duration>', 'time between two passes', durationParser('--every', MAX_PAUSE_DAYS), MINUTE_MS);
  runs(context, 'read models', work, async (civic, { once = false, every, json = false }) => {
    if (once) return workOnce(context, civic, json);
    civic.startReactors(civic.reporting.reactors.map(({ name }) => name));
    while (!context.stopping.aborted) {
      await dueReports(civic.reporting.worker, context.stopping);
      await civic.clock.sleep(every, context.stopping).catch(() => undefined);
    }
    return undefined;
  });
}

const STOPPED = {
  worker_paused: 'report work is paused',
  budget_exhausted: 'the daily budget of investigations is used up',
} as const;

async function workOnce(context: CliContext, civic: Civic, json: boolean): Promise<void> {
  const { position, ...done } = await dueReports(civic.reporting.worker, context.stopping);
  const { stopped, examined, moved, noted, skipped, failed } = done;
  const refusal = stopped === null ? null : new Rejection(stopped, STOPPED[stopped]);
  // If nothing was done, only the reason is printed.
  if (stopped === 'worker_paused') throw refusal!;
  await waitUntilVisible(context, civic, position);
  const counts = {
    examined,
    moved: moved.length,
    noted: noted.length,
    skipped: skipped.length,
    failed: failed.length,
  };
  print(context, json ? done : counts, { json });
  if (refusal !== null) throw refusal;
}

interface ReportHappening {
  readonly at: string;
  readonly what: string;
  /** Holder and token of the lease; null without one. */
  readonly by: string | null;
  readonly details: readonly string[];
}

const labeled = (fields: Readonly<Record<string, string | null>>): readonly string[] =>
  Object.entries(fields).flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]));

function happening({ type, data }: ReportEvent): ReportHappening {
  const by = `${data.holder} (lease ${data.fencingToken})`;
  switch (type) {
    case 'DataReportLeased':
      return { at: data.leasedAt, what: 'leased', by, details: [`until ${data.leaseUntil} unless renewed`] };
    case 'DataReportMoved': {
      const details = [
        ...labeled({ reason: data.reasonCode, finding: data.finding, 'next action': data.nextAction }),
        ...data.verifiedRecords.map(({ itemId, sourceUrl, title }) => `record: ${itemId} ${title ?? ''} ${sourceUrl}`),
        ...labeled({ 'next check': data.nextCheckAt }),
      ];
      return { at: data.movedAt, what: `${data.from} -> ${data.to}`, by, details };
    }
    case 'DataReportNoted':
      return {
        at: data.notedAt,
        what: 'noted',
        by,
        details: [...data.note.split('\n'), ...labeled({ 'next check': data.nextCheckAt })],
      };
  }
}
