import type { Command } from 'commander';
import { SyncRefused } from '../../sources/legistar/clients.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';
import { writeReferenceRecords } from '../../sources/first-run.ts';
import { progressBar } from '../progress-bar.ts';
import { waitUntilVisible, withCivic } from '../with-civic.ts';

interface Options {
  readonly json?: boolean;
  readonly client: string;
  readonly baseUrl?: string;
  readonly from?: string;
  readonly since?: string;
  readonly jurisdiction?: string;
}

const SHOWN = 20;

export const addSourcesCommands = (program: Command, context: CliContext): void => {
  program
    .command('sources')
    .description('where records come from')
    .command('sync')
    .description('pull a source into records; running it again over unchanged data appends nothing')
    .command('legistar')
    .description('a client of the Legistar Web API')
    .requiredOption('--client <name>', 'the client as its Web API names it')
    .option('--base-url <url>', 'another address of the Web API; it ends in /v1')
    .option('--from <folder>', 'read recorded responses from <folder>/<client> instead')
    .option('--since <date>', 'every event dated on or after YYYY-MM-DD, instead of what was modified lately')
    .option('--jurisdiction <slug>', 'whose it is, for a client outside the shipped table')
    .option('--json', 'print one JSON value')
    .action((options: Options) => runSync(context, options));
};

const runSync = async (context: CliContext, options: Options): Promise<void> => {
  if (options.baseUrl !== undefined && options.from !== undefined) throw new CommandFailed('give --base-url or --from, not both');
  const report = await withCivic(context, { projector: true }, async (civic) => {
    // The connector's records hang on those of the catalogue.
    await writeReferenceRecords(civic);
    // What was published before is asked of the read models: they must have seen all of it.
    await civic.settled(await civic.log.head());
    const bar = progressBar(context.stderr, 'events');
    try {
      const { position, ...rest } = await civic.syncLegistar({
        client: options.client,
        baseUrl: options.baseUrl,
        from: options.from,
        since: options.since,
        jurisdictionSlug: options.jurisdiction,
        progress: (done, total) => bar.update(done, total),
        signal: context.stopping,
      });
      await waitUntilVisible(context, civic, position);
      return rest;
    } catch (error) {
      throw error instanceof SyncRefused ? new CommandFailed(error.message) : error;
    } finally {
      bar.stop();
    }
  });
  if (options.json === true) print(context, report, options);
  else {
    const { read, rejected, skipped, ...counts } = report;
    print(context, { ...counts, ...read, rejected: rejected.length, skipped: skipped.length }, options);
    for (const { what, id, reason } of skipped.slice(0, SHOWN)) context.stdout.write(`skipped ${what} ${id}: ${reason}\n`);
    if (skipped.length > SHOWN) context.stdout.write(`and ${skipped.length - SHOWN} more; --json lists all\n`);
  }
  if (report.failure !== null) throw new CommandFailed(`${options.client} could not be read as a whole: ${report.failure}`);
};
