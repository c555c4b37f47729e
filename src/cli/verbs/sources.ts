import type { Command } from '@commander-js/extra-typings';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { runs, waitUntilVisible, withOpened } from '../verb.ts';
import { commandAccount } from './accounts.ts';
import { addParseCommand } from './parse-file.ts';
import { addSourceListCommands } from './source-list.ts';
import { addSyncOptions, printReasons } from './sync-options.ts';
import { addTryCommands } from './try-source.ts';
import { SAMPLE_ACCOUNT_ID, writeReferenceRecords } from '../../sources/first-run.ts';
import { sampleRemovals } from '../../sources/sample/sample-records.ts';
import { countRows, FAILED_EVENT, type Source, type SyncReport } from '../../sources/source.ts';
import { type SourceName, SOURCES } from '../../sources/sources.ts';

/** Returns the reason of a failed sync in one line; null if nothing failed. */
function failureIn({
  client,
  failure,
  failedEvents,
  read,
  rejected,
  skipped,
}: Omit<SyncReport, 'position' | 'sourceIds'>): string | null {
  const reasons: string[] = [];
  if (failure !== null) reasons.push(`${client} could not be read as a whole: ${failure}`);
  if (failedEvents > 0) {
    const first = skipped.find(({ what, reason }) => what === 'event' && reason.startsWith(FAILED_EVENT));
    reasons.push(
      `${failedEvents} of ${numbered(read['events']!, 'event')} of ${client} failed; the first one ${first?.reason}`,
    );
  }
  if (rejected.length > 0)
    reasons.push(`${numbered(rejected.length, 'record')} of ${client} failed; the first one: ${rejected[0]!.reason}`);
  return reasons.join('; ') || null;
}

export function addSourcesCommands(program: Command, context: CliContext): void {
  const sources = program.command('sources').description('add, sync and list sources; read a single agenda');
  addSourceListCommands(sources, context);
  addParseCommand(sources, context);
  addTryCommands(sources, context);
  const sync = sources
    .command('sync')
    .description('read a source and publish its records; a second run over unchanged data appends nothing');
  for (const [name, source] of Object.entries<Source>(SOURCES)) {
    const command = sync.command(name).description(source.description).requiredOption('--client <name>', source.client);
    addSyncOptions(command, source);
    runs(context, 'nothing', command, async (_, { client, json = false, ...options }) => {
      source.check?.(options);
      const report = await withOpened(context, 'projector', async (civic) => {
        // Records of a source refer to records of the catalogue.
        await writeReferenceRecords(civic);
        // The sync compares with the published records, so the read models must have folded all of them.
        await civic.caughtUp(await civic.log.head());
        const {
          position,
          sourceIds: _sourceIds,
          ...rest
        } = await withProgress(context, 'events', (bar) =>
          civic.syncSource(name as SourceName, { client, options, progress: bar.update, signal: context.stopping }),
        );
        await waitUntilVisible(context, civic, position);
        return rest;
      });
      const { read, rejected, skipped, degraded, ...counts } = report;
      print(
        context,
        json
          ? report
          : { ...counts, ...read, rejected: rejected.length, skipped: skipped.length, degraded: countRows(degraded) },
        { json },
      );
      if (!json) {
        printReasons(context, { skipped, degraded });
      }
      const failure = failureIn(report);
      if (failure !== null) throw new CommandFailed(failure);
    });
  }
}

export function addSampleCommands(program: Command, context: CliContext): void {
  const remove = program
    .command('sample')
    .description('manage the made-up records of a first run')
    .command('remove')
    .description('remove the sample records and suspend their account')
    .option(...YES);
  runs(context, 'read models', remove, async (civic, { yes }) => {
    const consequences = async (): Promise<string> => {
      await civic.caughtUp(await civic.log.head());
      const ids = Map.groupBy(sampleRemovals(), ({ resource }) => resource);
      const published = await Promise.all(
        [...ids].map(([resource, removals]) =>
          civic.published.current(
            resource,
            removals.map(({ id }) => id),
          ),
        ),
      );
      const count = published.reduce((sum, { size }) => sum + size, 0);
      return `removes ${numbered(count, 'sample record')} from the feed and suspends the sample account`;
    };
    await confirm(context, { yes, what: consequences });
    const outcomes = await civic.writer.write(sampleRemovals(), {});
    const positions = outcomes.flatMap((outcome) => (outcome.kind === 'appended' ? outcome.position : []));
    await waitUntilVisible(context, civic, positions.toSorted().at(-1) ?? null);
    const hasSampleAccount = (await civic.log.readLast([`account-${SAMPLE_ACCOUNT_ID}`])).size > 0;
    if (hasSampleAccount) await commandAccount(context, civic, SAMPLE_ACCOUNT_ID, { type: 'SuspendAccount' });
    return { removed: positions.length, accountSuspended: hasSampleAccount };
  });
}
