import type { Command } from '@commander-js/extra-typings';
import type { ErasedStream } from '../../../commands/erasure/erase-content.ts';
import { findInDocuments, findText, type FoundDocument, type FoundText } from '../../../commands/erasure/find-text.ts';
import type { Erasing } from '../../../commands/erasure/plan-erasure.ts';
import { pathOf } from '../../../domain/erasure/erase-from-event.ts';
import { ERASURE_REASONS } from '../../../domain/events/erasure-events.ts';
import { dataReportSubmitted } from '../../../domain/events/report-events.ts';
import { LOG_START } from '../../../domain/ports/event-log.ts';
import { logEvents } from '../../../domain/read-log.ts';
import { RESOURCES } from '../../../domain/records/resources.ts';
import {
  accountFeedsStream,
  accountReportsStream,
  accountStream,
  recordStream,
  reportStream,
} from '../../../domain/streams.ts';
import type { Civic } from '../../app/civic.ts';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { warn } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { choiceParser, runs, textParser, uuidsParser, waitUntilVisible, withOpened } from '../verb.ts';

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

const recordStreams = (id: string): readonly string[] => RESOURCES.map((resource) => recordStream(resource, id));

interface Subject {
  readonly name: string;
  readonly what: string;
  readonly listStreams: (civic: Civic, id: string) => Promise<readonly ErasedStream[]>;
}
const SUBJECTS: readonly Subject[] = [
  {
    name: 'record',
    what: 'from every version of records',
    listStreams: (civic, id) => existing(civic, recordStreams(id), `record ${id}`),
  },
  { name: 'report', what: 'from missing-data reports and their history', listStreams: reportStreams },
  {
    name: 'account',
    what: 'from accounts: their names, their subscriptions, what they have reported',
    listStreams: (civic, id) =>
      existing(civic, [accountStream(id), accountFeedsStream(id), accountReportsStream(id)], `account ${id}`),
  },
];

export function addEraseCommands(program: Command, context: CliContext): void {
  const erase = program
    .command('erase')
    .description('erase a personal detail from the log and from everything derived from it');
  const find = erase
    .command('find <text>')
    .description(
      'find a text in the log and in stored documents: prints events, versions, JSON pointers and addresses, not the text around it',
    )
    .option('--ignore-case', 'ignore case');
  runs(context, 'log', find, (civic, text, { ignoreCase = false }) =>
    foundIn(context, civic, literalOf(text), ignoreCase),
  );
  for (const subject of SUBJECTS) addErase(erase, context, subject);
}

function addErase(erase: Command, context: CliContext, { name, what, listStreams }: Subject): void {
  const command = erase
    .command(name)
    .argument('<ids...>', 'one or more ids', uuidsParser('the id'))
    .description(`erase a text ${what}`)
    .option(
      '--path <pointer>',
      'JSON pointer of the value, such as /title; erases the whole value unless --text is set',
    )
    .option('--text <literal>', 'text to erase, wherever it occurs', literalOf)
    .requiredOption('--with <text>', 'replacement text')
    .requiredOption('--reason <reason>', ERASURE_REASONS.join(', '), choiceParser('--reason', ERASURE_REASONS))
    .option('--by <name>', 'who says so', textParser('--by', 200), 'operator')
    .option('--dry-run', 'print what would change, without changing it')
    .option('--no-vacuum', 'leave the old bytes to autovacuum')
    .option(...YES);
  runs(context, 'nothing', command, (_, ids, options) => {
    const { path, text = null, with: replacement, reason, by, dryRun = false, vacuum, yes } = options;
    const erasing = erasingOf(path, text, replacement);
    return withOpened(context, dryRun ? 'log' : 'projector', async (civic) => {
      // A target that does not exist is refused before anything is erased.
      const streams = (await Promise.all(ids.map((id) => listStreams(civic, id)))).flat();
      const run = (isDry: boolean) => civic.erasing.erase({ streams, erasing, reason, by, dryRun: isDry });
      const consequences = async (): Promise<string> => {
        const { places } = await run(true);
        const texts = places.reduce((sum, { pointers }) => sum + pointers.length, 0);
        return `erases ${numbered(texts, 'text')} in ${numbered(places.length, 'event')} of ${numbered(ids.length, name)}`;
      };
      await confirm(context, { yes: yes === true || dryRun, what: consequences });
      const { places, erasures, changes, position, at } = await run(dryRun);
      const summary = { dryRun, events: places, erasures, changes, at: new Date(at).toISOString() };
      if (dryRun) return summary;
      await waitUntilVisible(context, civic, position);
      await clean(context, civic, streams, vacuum);
      return text === null ? summary : { ...summary, remaining: await findRemaining(context, civic, text) };
    });
  });
}

function literalOf(text: string): string {
  const literal = text.normalize('NFC');
  if (literal === '' || !literal.isWellFormed())
    throw new CommandFailed('the text is empty or contains an unpaired surrogate', MISUSE);
  return literal;
}

type ErasureMatch = FoundText | FoundDocument;

const foundIn = (
  context: CliContext,
  civic: Civic,
  text: string,
  ignoreCase: boolean,
): Promise<readonly ErasureMatch[]> =>
  withProgress(context, 'events', async (bar) => {
    const { log, storedDocuments } = civic;
    bar.update(0, log.distance(LOG_START, await log.head()) ?? 0);
    const onProgress = (events: number): void => {
      context.stopping.throwIfAborted();
      bar.update(events);
    };
    const search = { text, ignoreCase };
    const places: ErasureMatch[] = [];
    for await (const each of findText(log, search, onProgress)) places.push(each);
    for await (const each of findInDocuments(storedDocuments, search)) places.push(each);
    return places;
  });

async function findRemaining(context: CliContext, civic: Civic, text: string): Promise<readonly ErasureMatch[]> {
  const remaining = await foundIn(context, civic, text, false);
  if (remaining.length > 0)
    warn(context, `the text still occurs in ${remaining.length} other places: see \`remaining\``);
  return remaining;
}

function erasingOf(path: string | undefined, literal: string | null, replacement: string): Erasing {
  if (path === undefined && literal === null) throw new CommandFailed('pass --path, --text, or both', MISUSE);
  const keys = path === undefined ? null : pathOf(path);
  if (path !== undefined && keys === null)
    throw new CommandFailed(`--path is ${JSON.stringify(path)}; allowed is a JSON pointer such as /title`, MISUSE);
  if (literal !== null && replacement.includes(literal))
    throw new CommandFailed('--with contains the text to erase', MISUSE);
  if (!replacement.isWellFormed() || replacement.includes('\0'))
    throw new CommandFailed('--with contains a NUL character or an unpaired surrogate', MISUSE);
  return { path: keys, literal, replacement: replacement.normalize('NFC') };
}

/** Removes derived copies of erased texts, even if nothing was left to erase: an earlier run might have been killed. */
async function clean(
  context: CliContext,
  civic: Civic,
  streams: readonly ErasedStream[],
  vacuum: boolean,
): Promise<void> {
  const remaining = await civic.erasing.purgeCopies(streams.map(({ stream }) => stream));
  if (remaining > 0)
    warn(context, `${remaining} paid calls are still running: the service deletes their saved answers when they end`);
  if (vacuum) await civic.erasing.reclaim();
}
