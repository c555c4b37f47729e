import type { Command } from 'commander';
import { moveReport, noteReport, readReportState, type WorkedReport } from '../../../commands/reports/work-on-report.ts';
import type { VerifiedRecord } from '../../../commands/reports/report-decider.ts';
import type { Civic } from '../../civic.ts';
import { dateTime } from '../../../domain/records/fields.ts';
import { FOUND_RESOURCES } from '../../../domain/records/external-ids.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { REPORT_REASONS, REPORT_STATUSES } from '../../../domain/reports.ts';
import { cut } from '../../processors/reactors/reports/verdict.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { ofReport, personName, reportOf } from '../report-arguments.ts';
import { failedAs, oneOf, parseOption, requireHandled, runs, uuidOf } from '../verb.ts';

interface Options {
  readonly json?: boolean;
  readonly holder: string;
  readonly token?: string;
  readonly revision?: string;
  readonly to: string;
  readonly reason?: string;
  readonly finding?: string;
  readonly nextAction?: string;
  readonly record: readonly string[];
  readonly nextCheck?: string;
  readonly note?: string;
  readonly text: string;
}

/** `move` and `note`, which need the lease. */
export function addMoveCommands(reports: Command, context: CliContext): void {
  const leased = (command: Command) =>
    command
      .requiredOption('--holder <name>', 'who has the lease')
      .option('--token <number>', "the lease's token, where it is to be that very lease")
      .option('--next-check <time>', 'when the customer should look again');
  const moving = leased(ofReport(reports.command('move')).description('move a report along one arrow of its lifecycle'))
    .requiredOption('--to <status>', REPORT_STATUSES.join(', '))
    .option('--reason <code>', REPORT_REASONS.join(', '))
    .option('--finding <text>', 'what was found out, for the customer; a closed report needs one')
    .option('--next-action <text>', 'what the customer may do, or what happens next')
    .option(
      '--record <id>',
      'a published record that it is about; may be given up to twenty times',
      (id, all: string[]) => [...all, id],
      [],
    )
    .option('--note <text>', 'for investigators only')
    .option('--revision <number>', 'refuse if it has moved since it stood at this revision');
  runs(context, 'read models', moving, (civic, options: Options, report) => move(context, civic, report, options));
  const noting = leased(ofReport(reports.command('note')).description('write down what was found, for investigators only')).requiredOption(
    '--text <text>',
    'up to 4000 characters',
  );
  runs(context, 'read models', noting, (civic, options: Options, report) => note(context, civic, report, options));
}

function whole(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new CommandFailed(`${name} is ${JSON.stringify(text)}; allowed is a whole number`);
  return Number(text);
}

/** The current lease of the holder, or the one of `--token`. Throws `CommandFailed` without it. */
async function leaseOf(civic: Civic, reportId: string, options: Options): Promise<WorkedReport> {
  const holder = personName('--holder', options.holder);
  if (options.token !== undefined) return { reportId, holder, token: whole('--token', options.token) };
  const current = await civic.reporting.worker.leases.current(reportId, civic.clock.now());
  if (current?.holder === holder) return current;
  const whose = current === null ? 'the report has no lease' : `${current.holder} has the lease of the report`;
  throw failedAs(new Rejection('lease_conflict', `${whose}; take it with: civic reports lease ${reportId} --holder ${holder}`));
}

function nextCheck({ clock }: Civic, { nextCheck: text }: Options): string | null {
  if (text === undefined) return null;
  const toCome = dateTime.refine((time) => Date.parse(time) > clock.now());
  return parseOption('--next-check', toCome, text, 'an ISO 8601 time that is to come');
}

const MAX_TITLE_LENGTH = 300;

/** The id, address and title of a published record. Throws `CommandFailed` for another id. */
async function verifiedRecord({ reporting }: Civic, argument: string): Promise<VerifiedRecord> {
  const itemId = uuidOf('--record', argument);
  for (const resource of FOUND_RESOURCES) {
    const data = (await reporting.worker.known.current(resource, [itemId])).get(itemId);
    if (data === undefined) continue;
    const title = 'title' in data ? { title: cut(data.title, MAX_TITLE_LENGTH) } : {};
    return { itemId, sourceUrl: 'url' in data ? data.url : data.sourceUrl, ...title };
  }
  throw new CommandFailed(`--record ${itemId} is no meeting, agenda, agenda item, document or stream record that is published now`);
}

async function move(context: CliContext, civic: Civic, argument: string, options: Options) {
  const { reportId } = await reportOf(civic, argument);
  const seenRevision =
    options.revision === undefined ? (await readReportState(civic.log, reportId)).revision : whole('--revision', options.revision);
  const verifiedRecords: VerifiedRecord[] = [];
  for (const id of new Set(options.record.map((record) => record.toLowerCase()))) verifiedRecords.push(await verifiedRecord(civic, id));
  const to = oneOf('--to', REPORT_STATUSES, options.to);
  const handled = await moveReport(civic.reporting.worker, await leaseOf(civic, reportId, options), seenRevision, {
    moves: [
      {
        to,
        reasonCode: options.reason === undefined ? null : oneOf('--reason', REPORT_REASONS, options.reason),
        finding: options.finding ?? null,
        nextAction: options.nextAction ?? null,
        verifiedRecords,
        nextCheckAt: nextCheck(civic, options),
      },
    ],
    note: options.note ?? null,
  });
  await requireHandled(context, civic, handled);
  const { status, nextCheckAt, closedAt, revision } = await reportOf(civic, reportId);
  return { reportId, status, nextCheckAt, closedAt, revision };
}

async function note(context: CliContext, civic: Civic, argument: string, options: Options) {
  const { reportId } = await reportOf(civic, argument);
  const lease = await leaseOf(civic, reportId, options);
  const handled = await noteReport(civic.reporting.worker, lease, { note: options.text, nextCheckAt: nextCheck(civic, options) });
  await requireHandled(context, civic, handled);
  const { status, nextCheckAt, revision } = await reportOf(civic, reportId);
  return { reportId, status, nextCheckAt, revision };
}
