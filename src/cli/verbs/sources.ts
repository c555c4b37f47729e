import type { Command } from 'commander';
import { writeReferenceRecords } from '../../sources/first-run.ts';
import { type Source, type SourceOptions, SyncRefused } from '../../sources/source.ts';
import { type SourceName, SOURCES } from '../../sources/sources.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { waitUntilVisible, withCivic } from '../verb.ts';

interface Options {
  readonly json?: boolean;
  readonly client: string;
}

const SHOWN = 20;

export function addSourcesCommands(program: Command, context: CliContext): void {
  const sync = program
    .command('sources')
    .description('where records come from')
    .command('sync')
    .description('pull a source into records; running it again over unchanged data appends nothing');
  for (const [name, source] of Object.entries(SOURCES)) {
    const command = sync.command(name).description(source.description).requiredOption('--client <name>', source.client);
    for (const [flags, meaning] of source.options) command.option(flags, meaning);
    command.option('--json', 'print one JSON value').action(({ json = false, client, ...options }: Options) =>
      runSync(context, name as SourceName, { client, options, json }).catch((error: unknown) => {
        throw error instanceof SyncRefused ? new CommandFailed(error.message) : error;
      }),
    );
  }
}

async function runSync(
  context: CliContext,
  name: SourceName,
  { client, options, json }: { readonly client: string; readonly options: SourceOptions; readonly json: boolean },
): Promise<void> {
  const source: Source = SOURCES[name];
  source.check?.(options);
  const report = await withCivic(context, 'projector', async (civic) => {
    // Records of a source refer to records of the catalogue.
    await writeReferenceRecords(civic);
    // The sync compares with the published records, so the read models must have folded all of them.
    await civic.caughtUp(await civic.log.head());
    const { position, ...rest } = await withProgress(context.stderr, 'events', (bar) =>
      civic.syncSource(name, { client, options, progress: (done, total) => bar.update(done, total), signal: context.stopping }),
    );
    await waitUntilVisible(context, civic, position);
    return rest;
  });
  if (json) print(context, report, { json });
  else {
    const { read, rejected, skipped, ...counts } = report;
    print(context, { ...counts, ...read, rejected: rejected.length, skipped: skipped.length }, {});
    for (const { what, id, reason } of skipped.slice(0, SHOWN)) context.stdout.write(`skipped ${what} ${id}: ${reason}\n`);
    if (skipped.length > SHOWN) context.stdout.write(`and ${skipped.length - SHOWN} more; --json lists all\n`);
  }
  if (report.failure !== null) throw new CommandFailed(`${client} could not be read as a whole: ${report.failure}`);
}
