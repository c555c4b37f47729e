import type { Command } from 'commander';
import { openFeed, renewFeed, whatLogHasLost } from '../../../commands/feed/feed-identity.ts';
import { StillHeld } from '../../../domain/ports/log-moves.ts';
import type { Stores } from '../../../domain/ports/stores.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';

interface Options {
  readonly reason: string;
  readonly json?: boolean;
}

const MAX_REASON_LENGTH = 1000;

export function addFeedCommands(program: Command, context: CliContext): void {
  const feed = program.command('feed').description('the identity of the change feed, after its database was restored, recovered or moved');
  const runsOnStores = (command: Command, work: (stores: Stores, options: Options) => Promise<object>): void => {
    command.option('--json', 'print one JSON value').action(async (options: Options) => {
      const stores = await context.openStores();
      try {
        print(context, await work(stores, options), options);
      } finally {
        await stores.close();
      }
    });
  };
  runsOnStores(
    feed
      .command('renew')
      .description(
        'give the feed a new identity: every cursor that was given out before is answered 410, and customers take a new snapshot',
      )
      .requiredOption('--reason <text>', 'why; it is kept in the log')
      .addHelpText(
        'after',
        "\nFor a database that was set back by PostgreSQL's own means or from a disk image. After `civic restore` it is done already.",
      ),
    renew,
  );
  runsOnStores(
    feed
      .command('keep')
      .description(
        'confirm that nothing is lost and nothing else serves the feed: the database continues where it is now, with the feed as it is',
      ),
    keep,
  );
  runsOnStores(
    feed
      .command('acknowledge')
      .description(
        'record that an operator has seen that the log had lost history: doctor and /ops no longer show it; this confirms nothing else',
      ),
    async ({ setBacks, leaseClock }) => ({ acknowledged: await setBacks.acknowledge(leaseClock.now()) }),
  );
}

/** The log's identity. Throws for a log that is empty, of another program or half restored. */
async function openedLog({ log, clock, identifiers }: Stores): Promise<string> {
  const logId = await log.identity();
  if (logId === null) throw new CommandFailed('the log is empty: there is no feed yet');
  await openFeed(log, clock, identifiers);
  return logId;
}

async function renew(stores: Stores, options: Options) {
  const reason = options.reason.trim();
  if (reason === '' || reason.length > MAX_REASON_LENGTH) throw new CommandFailed(`--reason takes 1 to ${MAX_REASON_LENGTH} characters`);
  const logId = await openedLog(stores);
  const { installation } = stores;
  await requireOfThisLog(stores, logId);
  const identity = await installation.identity();
  const rebuilt = await installation
    .beginRenewal({ identity, logId, ...(await whatLogHasLost(stores, logId)), reason, now: stores.leaseClock.now() })
    .catch((error: unknown) => {
      if (error instanceof StillHeld) throw new CommandFailed(`stop every process of the service first: ${error.message} use this log`);
      throw error;
    });
  const { feedId, previousFeedId } = await renewFeed(stores, reason);
  await installation.keep(identity, logId);
  return { feedId, previousFeedId, rebuilt };
}

async function keep(stores: Stores) {
  const logId = await openedLog(stores);
  await requireOfThisLog(stores, logId);
  const kept = await stores.installation.kept();
  if (kept !== null && kept.renewing !== null) {
    throw new CommandFailed('a renewal of the feed was begun: end it by `civic feed renew --reason TEXT`');
  }
  const identity = await stores.installation.identity();
  await stores.installation.keep(identity, logId);
  return { ...identity, logId };
}

async function requireOfThisLog({ installation }: Stores, logId: string): Promise<void> {
  const kept = await installation.kept();
  if (kept === null || kept.logId === logId) return;
  throw new CommandFailed(
    `the database belongs to log ${kept.logId}, and the log is ${logId}: point DATABASE_URL and EVENTSTORE_URL at the same installation`,
  );
}
