import type { Command } from '@commander-js/extra-typings';
import type { DocumentReader } from '../../../domain/ports/documents.ts';
import type { Source } from '../../sources/source.ts';
import { type SourceName, SOURCES } from '../../sources/sources.ts';
import { type Trial, trySource } from '../../sources/try-source.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';
import { runs, wholeParser } from '../verb.ts';
import { addSyncOptions, printReasons } from './sync-options.ts';

/** Meetings that are read in full by default. */
const LIMIT = 20;

function printTrial(context: CliContext, { meetings, documents, items, skipped, degraded }: Trial): void {
  const counts = { meetings, documents, items, skipped, degraded };
  print(context, Object.fromEntries(Object.entries(counts).map(([name, rows]) => [name, rows.length])), {});
  for (const rows of [meetings, documents, items]) {
    if (rows.length === 0) continue;
    context.stdout.write('\n');
    print(context, rows, {});
  }
  printReasons(context, { skipped, degraded });
}

async function tryWithDocuments(context: CliContext, run: (reader: DocumentReader) => Promise<Trial>): Promise<Trial> {
  const reader = await context.openDocuments();
  try {
    return await run(reader);
  } finally {
    await reader.close();
  }
}

/** Adds a command for each platform that prints what a sync would read. It needs no installation. */
export function addTryCommands(sources: Command, context: CliContext): void {
  const trial = sources
    .command('try')
    .description('print what a sync of a source would read, without writing; needs no installation');
  for (const [name, source] of Object.entries<Source>(SOURCES)) {
    const command = trial
      .command(name)
      .description(source.description)
      .requiredOption('--client <name>', source.client);
    addSyncOptions(command, {
      ...source,
      options: source.options.filter(([flags]) => !flags.includes('--jurisdiction')),
    });
    const leaf = command.option(
      '--limit <number>',
      'meetings to read in full, closest to today',
      wholeParser('--limit', 0, 10_000),
      LIMIT,
    );
    runs(context, 'nothing', leaf, async (_, { client, json = false, limit, ...options }) => {
      const optionValues: Readonly<Record<string, string | undefined>> = options;
      source.check?.(optionValues);
      const { connectors, clock } = await context.openConnectors();
      const request = { client, options: optionValues, signal: context.stopping, limit };
      const trial = await tryWithDocuments(context, (reader) =>
        trySource(connectors[name as SourceName], request, { clock, reader }),
      );
      if (json) print(context, trial, { json });
      else printTrial(context, trial);
      if (trial.failure !== null) throw new CommandFailed(`${client} could not be read as a whole: ${trial.failure}`);
    });
  }
}
