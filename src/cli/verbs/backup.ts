import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { readFeedId } from '../../../commands/feed/feed-identity.ts';
import { SOFTWARE_VERSION } from '../../../domain/health.ts';
import { FEED_STREAM } from '../../../domain/streams.ts';
import type { Civic } from '../../app/civic.ts';
import { writeArchiveFile } from '../backup/archive-file.ts';
import { type ArchiveEnd, type ArchiveHeader, BadArchive, ForeignArchive, FORMAT } from '../backup/archive-format.ts';
import { readArchive } from '../backup/read-archive.ts';
import { beginOrContinue, restoreArchive, type RestoreOutcome } from '../backup/restore-archive.ts';
import { type VerifiedArchive, verifyArchive } from '../backup/verify-archive.ts';
import { archiveBytes } from '../backup/write-archive.ts';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed, MISUSE } from '../context.ts';
import { warn, writeOut } from '../output.ts';
import { countBytes, withProgress } from '../progress-bar.ts';
import { runs, withOpened } from '../verb.ts';

const STDIO = '-';

export function addBackupCommands(program: Command, context: CliContext): void {
  const backup = program
    .command('backup')
    .description('write the log, the payments and the texts of documents to one file, while the service runs')
    .option('--to <place>', 'a file, a folder (the file name is generated), or - for standard output')
    .option('--replace', 'overwrite an existing file')
    .addHelpText(
      'after',
      '\nThe file contains the whole log, so store it safely. `civic backup verify FILE` checks that it is complete.',
    );
  runs(context, 'nothing', backup, async (_, { to, replace = false, json = false }) => {
    if (to === undefined) throw new CommandFailed('pass --to FILE, --to FOLDER or --to -', MISUSE);
    if (to === STDIO && json)
      throw new CommandFailed('--json and the backup itself cannot both go to standard output', MISUSE);
    return withOpened(context, 'log', (civic) => writeBackup(context, civic, to, replace));
  });
  const verify = backup
    .command('verify <file>')
    .description('verify a backup: seals, order and every event (- for standard input)')
    .option('--record', 'record the result, so that /ops and metrics show the age of the newest verified backup');
  runs(context, 'nothing', verify, async (_, file, { record = false }) => {
    const { header, end, sha256, streams, newestEventAt } = await readingBackup(context, file, () =>
      verified(context, file),
    );
    const { backupId, createdAt, software, logId, feedId } = header;
    const { events, head, payments } = end;
    if (record) await recordVerified(context, logId, createdAt);
    const summary = { backupId, createdAt, software, logId, feedId, head, events, streams, payments };
    return { ...summary, newestEventAt: new Date(newestEventAt).toISOString(), sha256 };
  });
}

async function recordVerified(context: CliContext, logId: string, createdAt: string): Promise<void> {
  const isOurs = await withOpened(context, 'stores', ({ installation }) =>
    installation.keepVerifiedBackup(logId, Date.parse(createdAt)),
  );
  if (!isOurs) throw new CommandFailed('the backup is complete but belongs to another log: nothing was recorded');
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
    feedId: readFeedId(newest),
    trialClock: await workingRows.trialClock(),
  };
}

const nameOf = ({ createdAt, backupId }: ArchiveHeader): string =>
  `civic-${createdAt.replaceAll(/[-:]|\.\d+/g, '')}-${backupId.slice(-8)}.backup.gz`;

/** Throws `CommandFailed` for a backup of another log: a wrong environment must not replace the last backup of the right one. */
async function requireSameLog(file: string, logId: string): Promise<void> {
  try {
    for await (const item of readArchive(createReadStream(file))) {
      if (item.kind !== 'header' || item.header.logId === logId) return;
      throw new CommandFailed(
        `${file} is a backup of another log, made at ${item.header.createdAt}: choose another name, or remove it first`,
      );
    }
  } catch (error) {
    if (error instanceof ForeignArchive) throw new CommandFailed(`${file}: ${error.message}, or remove it first`);
    // A file that is not a backup may be replaced.
    if (!(error instanceof BadArchive)) throw error;
  }
}

const writeBackup = (context: CliContext, civic: Civic, to: string, replace: boolean) =>
  withProgress(context, 'events', async (bar) => {
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
      return undefined;
    }
    const { backupId, feedId, createdAt, logId } = header;
    const requireReplaceable = (file: string) => requireSameLog(file, logId);
    const archive = await writeArchiveFile(
      { to, defaultName: nameOf(header), writer: backupId, replace, requireReplaceable },
      bytes,
    );
    const { events, payments, head } = end!;
    return { ...archive, backupId, feedId, createdAt, head, events, payments };
  });

async function verified(context: CliContext, file: string): Promise<VerifiedArchive> {
  const isStdin = file === STDIO;
  const total = isStdin ? 0 : (await stat(file)).size;
  const bytes = isStdin ? context.stdin : createReadStream(file, { signal: context.stopping });
  return withProgress(context, 'bytes', (bar) => verifyArchive(countBytes(bytes, bar, total)));
}

async function readingBackup<Result>(context: CliContext, file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    context.stopping.throwIfAborted();
    if (error instanceof BadArchive) throw new CommandFailed(`${file}: ${error.message}`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw code !== undefined && /^E[A-Z]+$/.test(code)
      ? new CommandFailed(`${file} cannot be read: ${message}`)
      : error;
  }
}

export function addRestoreCommand(program: Command, context: CliContext): void {
  const restore = program
    .command('restore <file>')
    .description('restore a backup into an empty database (and an empty KurrentDB), with a new feed identity')
    .option('--revoke-keys', 'revoke every key; otherwise keys that were revoked after the backup work again')
    .option('--as-copy', 'the original stays in use: revoke every key and do not continue payments')
    .option(...YES)
    .addHelpText(
      'after',
      '\nThe file is verified before anything is written, and the result is compared with it. If it was stopped, run the same command again to continue;' +
        '\nno service starts on the database until the restore is complete. Customers receive 410 once and take a new snapshot.',
    );
  runs(context, 'nothing', restore, async (_, file, { asCopy = false, revokeKeys = false, yes }) => {
    const signal = context.stopping;
    const openFile = () => createReadStream(file, { signal });
    const { archive, outcome } = await readingBackup(context, file, async () => {
      const archive = await verified(context, file);
      const request = { archive, asCopy, revokeKeys: revokeKeys || asCopy };
      const outcome = await withOpened(context, 'new stores', async (stores) => {
        await beginOrContinue({ stores, ...request });
        await confirm(context, { yes, what: () => consequences(archive, request.revokeKeys) });
        return withProgress(context, 'events', (bar) =>
          restoreArchive({ stores, ...request, read: openFile, signal, onProgress: bar.update }),
        );
      });
      return { archive, outcome };
    });
    warnOperator(context, archive, outcome);
    const { backupId, createdAt } = archive.header;
    return { backupId, createdAt, ...outcome };
  });
}

function consequences({ header, end, streams, backedUp }: VerifiedArchive, revokeKeys: boolean): string {
  const keys = numbered(backedUp.keys.size, 'key');
  return (
    `fills the database with ${numbered(end.events, 'event')} of ${numbered(streams, 'stream')} and ${numbered(end.payments, 'payment')} of ${header.createdAt}, ` +
    `${revokeKeys ? `revokes ${keys}` : `lets ${keys} work`}, and gives the feed a new identity`
  );
}

function warnOperator(
  context: CliContext,
  { header, end }: VerifiedArchive,
  { keys, revokedKeys, asCopy }: RestoreOutcome,
): void {
  const { createdAt } = header;
  warn(
    context,
    revokedKeys
      ? `all ${keys} keys are revoked: issue new ones to the customers`
      : `${keys} keys work as they did at ${createdAt}: revoke keys and suspend accounts again that changed since, before you start the service`,
  );
  warn(
    context,
    `changes acknowledged after ${createdAt} are lost: records, reports, accounts, keys, subscriptions; docs/operators/backup-and-restore.md says what customers see`,
  );
  if (end.payments > 0 && !asCopy) {
    warn(
      context,
      'payments that were in progress at the backup now have an unknown outcome: `civic payments list --state RECONCILE` shows them',
    );
  }
}
