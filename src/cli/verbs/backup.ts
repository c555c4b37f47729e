import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { feedIdOf } from '../../../commands/feed/feed-identity.ts';
import type { Civic } from '../../civic.ts';
import { SOFTWARE_VERSION } from '../../../domain/software-version.ts';
import { FEED_STREAM } from '../../../domain/streams.ts';
import { type ArchiveEnd, type ArchiveHeader, BadArchive, FORMAT } from '../backup/archive-format.ts';
import { writeArchiveFile } from '../backup/archive-file.ts';
import { verifyArchive } from '../backup/verify-archive.ts';
import { archiveBytes } from '../backup/write-archive.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print, writeOut } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { withCivic } from '../verb.ts';

interface Options {
  readonly to?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

const STDIO = '-';

export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description('write the log, and the payments beside it, to one file that can be verified and restored; beside the running service')
    .option('--to <place>', 'a file, a folder in which the file gets its name, or - for standard output')
    .option('--replace', 'write over a file of that name')
    .option('--json', 'print one JSON value')
    .addHelpText(
      'after',
      '\nThe file holds everything that the log holds and belongs in a safe place. `civic backup verify FILE` proves that it is whole.',
    )
    .action((options: Options) => runBackup(context, options));
  backup
    .command('verify <file>')
    .description('read a backup whole (- for standard input): seals, order, every event')
    .option('--json', 'print one JSON value')
    // The parent command has an option of the same name and takes it first.
    .action((file: string, _: unknown, command: Command) => runVerify(context, file, command.optsWithGlobals()));
}

async function headerOf({ log, workingRows, clock, identifiers }: Civic): Promise<ArchiveHeader> {
  const newest = (await log.readLast([FEED_STREAM])).get(FEED_STREAM);
  const logId = await log.identity();
  if (newest === undefined || logId === null) throw new CommandFailed('there is nothing to back up: the log is empty');
  return {
    civicBackup: FORMAT,
    backupId: identifiers.next(),
    createdAt: new Date(clock.now()).toISOString(),
    software: SOFTWARE_VERSION,
    logId,
    feedId: feedIdOf(newest),
    trialClock: await workingRows.trialClock(),
  };
}

const nameOf = ({ createdAt, backupId }: ArchiveHeader): string =>
  `civic-${createdAt.replaceAll(/[-:]|\.\d+/g, '')}-${backupId.slice(-8)}.backup.gz`;

async function runBackup(context: CliContext, { to, replace = false, json = false }: Options): Promise<void> {
  if (to === undefined) throw new CommandFailed('say where the backup goes: --to FILE, --to FOLDER or --to -');
  if (to === STDIO && json) throw new CommandFailed('--json and the backup itself cannot both go to standard output');
  await withCivic(context, 'log', (civic) =>
    withProgress(context.stderr, 'events', async (bar) => {
      const header = await headerOf(civic);
      let end: ArchiveEnd | undefined;
      const bytes = archiveBytes({
        log: civic.log,
        rows: civic.workingRows,
        header,
        signal: context.stopping,
        onProgress: (events, of) => bar.update(events, of ?? undefined),
        onEnd: (ended) => (end = ended),
      });
      if (to === STDIO) {
        for await (const chunk of bytes) await writeOut(context, chunk);
        return;
      }
      const { backupId, feedId, createdAt } = header;
      const written = await writeArchiveFile({ to, defaultName: nameOf(header), writer: backupId, replace }, bytes);
      const { events, payments, head } = end!;
      print(context, { ...written, backupId, feedId, createdAt, head, events, payments }, { json });
    }),
  );
}

async function runVerify(context: CliContext, file: string, options: { readonly json?: boolean }): Promise<void> {
  try {
    const bytes = file === STDIO ? context.stdin : createReadStream(file, { signal: context.stopping });
    const { header, end, sha256, streams, newestEventAt } = await withProgress(context.stderr, 'events', (bar) =>
      verifyArchive(bytes, (events) => bar.update(events)),
    );
    const { backupId, createdAt, software, logId, feedId } = header;
    const { events, head, payments } = end;
    const shown = { backupId, createdAt, software, logId, feedId, head, events, streams, payments };
    print(context, { ...shown, newestEventAt: new Date(newestEventAt).toISOString(), sha256 }, options);
  } catch (error) {
    throw explained(context, file, error);
  }
}

/** The failure for a file that is unreadable or not a backup; another error as it is. */
export function explained(context: CliContext, file: string, error: unknown): unknown {
  if (context.stopping.aborted) return context.stopping.reason;
  if (error instanceof BadArchive) return new CommandFailed(`${file}: ${error.message}`);
  const { code, message } = error as NodeJS.ErrnoException;
  return code !== undefined && /^E[A-Z]+$/.test(code) ? new CommandFailed(`${file} cannot be read: ${message}`) : error;
}
