import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { restoreArchive, type RestoreOutcome } from '../backup/restore-archive.ts';
import { type VerifiedArchive, verifyArchive } from '../backup/verify-archive.ts';
import type { CliContext } from '../context.ts';
import { print, warn } from '../output.ts';
import { type ProgressBar, withProgress } from '../progress-bar.ts';
import { explained } from './backup.ts';

interface Options {
  readonly asCopy?: boolean;
  readonly revokeKeys?: boolean;
  readonly json?: boolean;
}

export function addRestoreCommand(program: Command, context: CliContext): void {
  program
    .command('restore <file>')
    .description('fill an empty database (and an empty KurrentDB) from a backup, with a feed identity of its own')
    .option('--revoke-keys', 'revoke every key: what was revoked after the backup works again otherwise')
    .option('--as-copy', 'the original stays in use: revoke every key and continue no payment')
    .option('--json', 'print one JSON value')
    .addHelpText(
      'after',
      '\nThe file is verified before anything is written, and what was written is compared with it. After a stop, the same command continues;' +
        '\nno service starts on the database before the restore is complete. Customers receive 410 once and take a new snapshot.',
    )
    .action((file: string, options: Options) => runRestore(context, file, options));
}

async function runRestore(context: CliContext, file: string, { asCopy = false, revokeKeys = false, json = false }: Options): Promise<void> {
  const read = () => createReadStream(file, { signal: context.stopping });
  const restore = async (bar: ProgressBar) => {
    const archive = await verifyArchive(read(), (events) => bar.update(events));
    const stores = await context.openStores();
    try {
      const outcome = await restoreArchive({
        stores,
        archive,
        read,
        asCopy,
        revokeKeys: revokeKeys || asCopy,
        signal: context.stopping,
        onProgress: (events, of) => bar.update(events, of),
      });
      return { archive, outcome };
    } finally {
      await stores.close();
    }
  };
  try {
    const { archive, outcome } = await withProgress(context.stderr, 'events', restore);
    warnOperator(context, archive, outcome);
    const { backupId, createdAt } = archive.header;
    print(context, { backupId, createdAt, ...outcome }, { json });
  } catch (error) {
    throw explained(context, file, error);
  }
}

/** Warnings for the operator before the service starts. */
function warnOperator(context: CliContext, { header, end }: VerifiedArchive, { keys, revokedKeys, asCopy }: RestoreOutcome): void {
  const { createdAt } = header;
  if (revokedKeys) warn(context, `all ${keys} keys are revoked: issue new ones to the customers`);
  else {
    warn(
      context,
      `${keys} keys work as they did at ${createdAt}: a key that was revoked and an account that was suspended since work again; revoke and suspend them anew before you start the service`,
    );
  }
  warn(
    context,
    `what was acknowledged after ${createdAt} is lost: records, reports, accounts, keys, subscriptions; docs/backup-and-restore.md says what customers see`,
  );
  if (end.payments > 0 && !asCopy) {
    warn(
      context,
      'payments that were under way at the backup are of unknown outcome now: `civic payments list --state RECONCILE` shows them',
    );
  }
}
