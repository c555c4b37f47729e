import type { Command } from 'commander';
import { z } from 'zod';
import type { ErasedStream } from '../../../commands/erasure/erase-content.ts';
import { findText, type FoundText } from '../../../commands/erasure/find-text.ts';
import type { Erasing } from '../../../commands/erasure/plan-erasure.ts';
import type { Civic } from '../../civic.ts';
import { pathOf } from '../../domain/erasure/text-paths.ts';
import { ERASURE_REASONS } from '../../domain/events/erasure-events.ts';
import { Rejection } from '../../domain/rejections.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { accountStreams, recordStreams, reportStreams } from '../erased-streams.ts';
import { parseOption } from '../options.ts';
import { print, warn } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { waitUntilVisible, withCivic } from '../with-civic.ts';
import { failedAs } from '../with-reports.ts';

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

type Streams = (civic: Civic, argument: string) => Promise<readonly ErasedStream[]>;

const SUBJECTS: readonly { readonly name: string; readonly what: string; readonly streams: Streams }[] = [
  { name: 'record', what: 'from every version of a record', streams: recordStreams },
  { name: 'report', what: 'from a missing-data report and its history', streams: reportStreams },
  { name: 'account', what: 'from an account: its name, its subscriptions, what it has reported', streams: accountStreams },
];

export const addEraseCommands = (program: Command, context: CliContext): void => {
  const erase = program.command('erase').description('erase a personal detail from the log and everything made of it');
  erase
    .command('find <text>')
    .description('where a text stands in the log: events, versions and JSON pointers, not what stands around it')
    .option('--ignore-case', 'capital and small letters alike')
    .option('--json', 'print one JSON value')
    .action((text: string, options: Options) => runFind(context, text, options));
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
};

/** As texts are stored. */
const literalOf = (text: string): string => {
  const literal = text.normalize('NFC');
  if (literal === '' || !literal.isWellFormed()) throw new CommandFailed('the text is empty or holds half a character');
  return literal;
};

const foundIn = async (context: CliContext, civic: Civic, text: string, ignoreCase: boolean): Promise<readonly FoundText[]> => {
  const bar = progressBar(context.stderr, 'events');
  const found: FoundText[] = [];
  try {
    for await (const each of findText(civic.log, { text, ignoreCase }, (events) => {
      context.stopping.throwIfAborted();
      bar.update(events);
    }))
      found.push(each);
  } finally {
    bar.stop();
  }
  return found;
};

const runFind = (context: CliContext, text: string, options: Options): Promise<void> =>
  withCivic(context, { projector: false }, async (civic) =>
    print(context, await foundIn(context, civic, literalOf(text), options.ignoreCase === true), options),
  );

const erasingOf = ({ path, text, with: replacement }: Options): Erasing => {
  if (path === undefined && text === undefined) throw new CommandFailed('give --path, --text, or both');
  const keys = path === undefined ? null : pathOf(path);
  if (path !== undefined && keys === null)
    throw new CommandFailed(`--path is ${JSON.stringify(path)}; allowed is a JSON pointer such as /title`);
  const literal = text === undefined ? null : literalOf(text);
  if (literal !== null && replacement.includes(literal)) throw new CommandFailed('--with holds the text that is to go');
  if (!replacement.isWellFormed() || replacement.includes('\0')) throw new CommandFailed('--with holds U+0000 or half a character');
  return { path: keys, literal, replacement: replacement.normalize('NFC') };
};

const runErase = (context: CliContext, id: string, streamsOf: Streams, options: Options): Promise<void> => {
  const erasing = erasingOf(options);
  const reason = parseOption('--reason', z.enum(ERASURE_REASONS), options.reason, ERASURE_REASONS.join(', '));
  const by = parseOption('--by', z.string().trim().min(1).max(200), options.by, '1 to 200 characters');
  const dryRun = options.dryRun === true;
  return withCivic(context, { projector: !dryRun }, async (civic) => {
    const streams = await streamsOf(civic, id);
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
};

/** Also where nothing was left to erase: the command before may have been killed on its way. */
const clean = async (context: CliContext, civic: Civic, streams: readonly ErasedStream[], vacuum: boolean): Promise<void> => {
  const left = await civic.erasing.clearTraces(streams.map(({ stream }) => stream));
  if (left > 0) warn(context, `${left} paid calls are under way: their saved answers go when they have ended, while a service runs`);
  if (vacuum) await civic.erasing.reclaim();
};
