import type { Command } from 'commander';
import type { ErasedStream } from '../../../commands/erasure/erase-content.ts';
import { findText, type FoundText } from '../../../commands/erasure/find-text.ts';
import type { Erasing } from '../../../commands/erasure/plan-erasure.ts';
import type { Civic } from '../../civic.ts';
import { pathOf } from '../../../domain/erasure/text-paths.ts';
import { ERASURE_REASONS } from '../../../domain/events/erasure-events.ts';
import { dataReportSubmitted } from '../../../domain/events/report-events.ts';
import { LOG_START } from '../../../domain/ports/event-log.ts';
import { logEvents } from '../../../domain/read-log.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
import { Rejection } from '../../../domain/rejections.ts';
import { accountFeedsStream, accountReportsStream, accountStream, recordStream, reportStream } from '../../../domain/streams.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print, warn } from '../output.ts';
import { personName } from '../report-arguments.ts';
import { withProgress } from '../progress-bar.ts';
import { failedAs, oneOf, runs, uuidOf, waitUntilVisible, withCivic } from '../verb.ts';

interface Options {
  readonly json?: boolean;
  readonly ignoreCase?: boolean;
  readonly path?: string;
  readonly text?: string;
  readonly with: string;
  readonly reason: string;
  readonly by: string;
  readonly dryRun?: boolean;
  readonly vacuum: boolean;
}

async function existing({ log }: Civic, streams: readonly string[], what: string): Promise<readonly ErasedStream[]> {
  const last = await log.readLast(streams);
  if (last.size === 0) throw new CommandFailed(`there is no ${what}`);
  return streams.filter((stream) => last.has(stream)).map((stream) => ({ stream }));
}

const PAGE = 1000;

/** The report's own stream, and its submission among all of its account's. */
async function reportStreams({ log }: Civic, id: string): Promise<readonly ErasedStream[]> {
  for await (const submitted of logEvents(log, LOG_START, { batchSize: PAGE, types: ['DataReportSubmitted'] })) {
    if (!submitted.data.includes(id) || dataReportSubmitted.parse(JSON.parse(submitted.data)).reportId !== id) continue;
    return [{ stream: submitted.stream, isWanted: (event) => event.id === submitted.id }, { stream: reportStream(id) }];
  }
  throw new CommandFailed(`there is no report ${id}`);
}

type Streams = (civic: Civic, id: string) => Promise<readonly ErasedStream[]>;

const SUBJECTS: readonly { readonly name: string; readonly what: string; readonly streams: Streams }[] = [
  {
    name: 'record',
    what: 'from every version of a record',
    streams: (civic, id) =>
      existing(
        civic,
        RESOURCES.map((resource) => recordStream(resource, id)),
        `record ${id}`,
      ),
  },
  { name: 'report', what: 'from a missing-data report and its history', streams: reportStreams },
  {
    name: 'account',
    what: 'from an account: its name, its subscriptions, what it has reported',
    streams: (civic, id) => existing(civic, [accountStream(id), accountFeedsStream(id), accountReportsStream(id)], `account ${id}`),
  },
];

export function addEraseCommands(program: Command, context: CliContext): void {
  const erase = program.command('erase').description('erase a personal detail from the log and everything made of it');
  const find = erase
    .command('find <text>')
    .description('where a text stands in the log: events, versions and JSON pointers, without the surrounding text')
    .option('--ignore-case', 'capital and small letters alike');
  runs(context, 'log', find, (civic, { ignoreCase }: Options, text) => foundIn(context, civic, literalOf(text), ignoreCase === true));
  for (const { name, what, streams } of SUBJECTS) {
    erase
      .command(`${name} <id>`)
      .description(`erase a text ${what}`)
      .option('--path <pointer>', 'the JSON pointer of the text, such as /title; the whole of it goes unless --text is given too')
      .option('--text <literal>', 'the text that goes, wherever it stands')
      .requiredOption('--with <text>', 'what stands there from then on')
      .requiredOption('--reason <reason>', ERASURE_REASONS.join(', '))
      .option('--by <name>', 'who says so', 'operator')
      .option('--dry-run', 'say what would change, and change nothing')
      .option('--no-vacuum', 'leave the old bytes in the database to its own housekeeping')
      .option('--json', 'print one JSON value')
      .action((id: string, options: Options) => runErase(context, id, streams, options));
  }
}

/** The text in the form in which the log stores texts. */
function literalOf(text: string): string {
  const literal = text.normalize('NFC');
  if (literal === '' || !literal.isWellFormed()) throw new CommandFailed('the text is empty or holds half a character');
  return literal;
}

const foundIn = async (context: CliContext, civic: Civic, text: string, ignoreCase: boolean): Promise<readonly FoundText[]> =>
  withProgress(context.stderr, 'events', async (bar) => {
    const onProgress = (events: number): void => {
      context.stopping.throwIfAborted();
      bar.update(events);
    };
    const found: FoundText[] = [];
    for await (const each of findText(civic.log, { text, ignoreCase }, onProgress)) found.push(each);
    return found;
  });

function erasingOf({ path, text, with: replacement }: Options): Erasing {
  if (path === undefined && text === undefined) throw new CommandFailed('give --path, --text, or both');
  const keys = path === undefined ? null : pathOf(path);
  if (path !== undefined && keys === null)
    throw new CommandFailed(`--path is ${JSON.stringify(path)}; allowed is a JSON pointer such as /title`);
  const literal = text === undefined ? null : literalOf(text);
  if (literal !== null && replacement.includes(literal)) throw new CommandFailed('--with holds the text that is to go');
  if (!replacement.isWellFormed() || replacement.includes('\0')) throw new CommandFailed('--with holds U+0000 or half a character');
  return { path: keys, literal, replacement: replacement.normalize('NFC') };
}

function runErase(context: CliContext, id: string, streamsOf: Streams, options: Options): Promise<void> {
  const erasing = erasingOf(options);
  const reason = oneOf('--reason', ERASURE_REASONS, options.reason);
  const by = personName('--by', options.by);
  const dryRun = options.dryRun === true;
  return withCivic(context, dryRun ? 'log' : 'projector', async (civic) => {
    const streams = await streamsOf(civic, uuidOf('the id', id));
    try {
      const { places, erasures, changes, position, at } = await civic.erasing.erase({ streams, erasing, reason, by, dryRun });
      if (!dryRun) {
        await waitUntilVisible(context, civic, position);
        await clean(context, civic, streams, options.vacuum);
      }
      const left = erasing.literal === null || dryRun ? null : await foundIn(context, civic, erasing.literal, false);
      if (left !== null && left.length > 0) warn(context, `the text still stands in ${left.length} other events: see \`remaining\``);
      const summary = { dryRun, events: places, erasures, changes, at: new Date(at).toISOString() };
      print(context, { ...summary, ...(left === null ? {} : { remaining: left }) }, options);
    } catch (error) {
      throw error instanceof Rejection ? failedAs(error) : error;
    }
  });
}

/** Also when nothing was left to erase: an earlier run may have been killed. */
async function clean(context: CliContext, civic: Civic, streams: readonly ErasedStream[], vacuum: boolean): Promise<void> {
  const left = await civic.erasing.purgeCopies(streams.map(({ stream }) => stream));
  if (left > 0) warn(context, `${left} paid calls are under way: their saved answers go when they have ended, while a service runs`);
  if (vacuum) await civic.erasing.reclaim();
}
