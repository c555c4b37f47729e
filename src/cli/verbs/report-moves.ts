import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import type { VerifiedRecord } from '../../../commands/reports/report-decider.ts';
import {
  moveReport,
  noteReport,
  readReportState,
  type WorkedReport,
} from '../../../commands/reports/work-on-report.ts';
import { FOUND_RESOURCES } from '../../../domain/records/external-ids.ts';
import { dateTime } from '../../../domain/records/fields.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { REPORT_REASONS, REPORT_STATUSES } from '../../../domain/reports.ts';
import { findReport, type KnownReport } from '../../../queries/reports/known-reports.ts';
import type { Civic } from '../../app/civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import {
  choiceParser,
  parser,
  parseValue,
  requireHandled,
  runs,
  textParser,
  uuidParser,
  wholeParser,
} from '../verb.ts';
import { cut } from '../../processors/reactors/reports/verdict.ts';

export const ofReport = <Options extends OptionValues>(command: Command<[], Options>) =>
  command.argument('<report>', '', uuidParser('the report'));

export async function reportOf(civic: Civic, reportId: string): Promise<KnownReport> {
  const report = await findReport(civic.reads, reportId);
  if (report === null) throw new CommandFailed(`report_not_found: there is no report ${reportId}`);
  return report;
}

const TO_COME = 'an ISO 8601 time that is to come';

/** Creates a command that needs the lease of a report. */
const leased = (reports: CommandUnknownOpts, name: string, description: string) =>
  ofReport(reports.command(name).description(description))
    .requiredOption('--holder <name>', 'who has the lease', textParser('--holder', 200))
    .option('--token <number>', "the lease's token, where it is to be that very lease", wholeParser('--token'))
    .option('--next-check <time>', 'when the customer should look again', parser('--next-check', dateTime, TO_COME));

export function addMoveCommand(reports: CommandUnknownOpts, context: CliContext): void {
  const moving = leased(reports, 'move', 'move a report along one arrow of its lifecycle')
    .requiredOption('--to <status>', REPORT_STATUSES.join(', '), choiceParser('--to', REPORT_STATUSES))
    .option('--reason <code>', REPORT_REASONS.join(', '), choiceParser('--reason', REPORT_REASONS))
    .option('--finding <text>', 'finding for the customer; required to close a report')
    .option('--next-action <text>', 'what the customer may do, or what happens next')
    .option(
      '--record <id>',
      'a published record that the report is about; up to twenty times',
      (id, all: ReadonlySet<string>) => new Set([...all, uuidParser('--record')(id.toLowerCase())]),
      new Set<string>(),
    )
    .option('--note <text>', 'for investigators only')
    .option('--revision <number>', 'refuse if it has moved since it stood at this revision', wholeParser('--revision'));
  runs(context, 'read models', moving, async (civic, id, options) => {
    const { to, reason = null, finding = null, nextAction = null, note = null } = options;
    const { reportId } = await reportOf(civic, id);
    const seenRevision = options.revision ?? (await readReportState(civic.log, reportId)).revision;
    const verifiedRecords: VerifiedRecord[] = [];
    for (const record of options.record) verifiedRecords.push(await verifiedRecord(civic, record));
    const next = { nextAction, nextCheckAt: nextCheck(civic, options.nextCheck) };
    const move = { to, reasonCode: reason, finding, verifiedRecords, ...next };
    const lease = await leaseOf(civic, reportId, options);
    const handled = await moveReport(civic.reporting.worker, lease, seenRevision, { moves: [move], note });
    await requireHandled(context, civic, handled);
    const { status, nextCheckAt, closedAt, revision } = await reportOf(civic, reportId);
    return { reportId, status, nextCheckAt, closedAt, revision };
  });
}

export function addNoteCommand(reports: CommandUnknownOpts, context: CliContext): void {
  const noting = leased(reports, 'note', 'write down what was found, for investigators only').requiredOption(
    '--text <text>',
    'up to 4000 characters',
  );
  runs(context, 'read models', noting, async (civic, id, { text, ...options }) => {
    const { reportId } = await reportOf(civic, id);
    const lease = await leaseOf(civic, reportId, options);
    const noted = { note: text, nextCheckAt: nextCheck(civic, options.nextCheck) };
    await requireHandled(context, civic, await noteReport(civic.reporting.worker, lease, noted));
    const { status, nextCheckAt, revision } = await reportOf(civic, reportId);
    return { reportId, status, nextCheckAt, revision };
  });
}

/** Returns the current lease of the holder, or the one of `--token`. Throws a rejection if there is none. */
async function leaseOf(
  { reporting, clock }: Civic,
  reportId: string,
  { holder, token }: { readonly holder: string; readonly token?: number | undefined },
): Promise<WorkedReport> {
  if (token !== undefined) return { reportId, holder, token };
  const current = await reporting.worker.leases.current(reportId, clock.now());
  if (current?.holder === holder) return current;
  const whose = current === null ? 'the report has no lease' : `${current.holder} has the lease of the report`;
  throw new Rejection('lease_conflict', `${whose}; take it with: civic reports lease ${reportId} --holder ${holder}`);
}

function nextCheck({ clock }: Civic, time: string | undefined): string | null {
  const toCome = dateTime.refine((text) => Date.parse(text) > clock.now());
  return time === undefined ? null : parseValue('--next-check', toCome, time, TO_COME);
}

const MAX_TITLE_LENGTH = 300;

/** Returns id, address and title of a published record. Throws `CommandFailed` for another id. */
async function verifiedRecord({ reporting }: Civic, itemId: string): Promise<VerifiedRecord> {
  for (const resource of FOUND_RESOURCES) {
    const data = (await reporting.worker.known.current(resource, [itemId])).get(itemId);
    if (data === undefined) continue;
    const title = 'title' in data ? { title: cut(data.title, MAX_TITLE_LENGTH) } : {};
    return { itemId, sourceUrl: 'url' in data ? data.url : data.sourceUrl, ...title };
  }
  throw new CommandFailed(
    `--record ${itemId} is no meeting, agenda, agenda item, document or stream record that is published now`,
  );
}
