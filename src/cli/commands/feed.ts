import type { Command } from 'commander';
import { openFeed } from '../../../commands/feed/open-feed.ts';
import { renewFeed, whatLogHasLost } from '../../../commands/feed/renew-feed.ts';
import { StillHeld } from '../../domain/ports/log-moves.ts';
import type { Stores } from '../../domain/ports/stores.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';

interface Options {
  readonly reason: string;
  readonly json?: boolean;
}

const LONGEST_REASON = 1000;

export const addFeedCommands = (program: Command, context: CliContext): void => {
  const feed = program.command('feed').description('the identity of the change feed, after its database was restored, recovered or moved');
  feed
    .command('renew')
    .description('give the feed a new identity: every cursor that was given out before is answered 410, and customers take a new snapshot')
    .requiredOption('--reason <text>', 'why; it is kept in the log')
    .option('--json', 'print one JSON value')
    .addHelpText(
      'after',
      "\nFor a database that was set back by PostgreSQL's own means or from a disk image. After `civic restore` it is done already.",
    )
    .action((options: Options) => withStores(context, (stores) => renew(context, stores, options)));
  feed
    .command('keep')
    .description('vouch that nothing is lost and nothing else serves it: the database goes on where it is now, with the feed as it is')
    .option('--json', 'print one JSON value')
    .action((options: Options) => withStores(context, (stores) => keep(context, stores, options)));
  feed
    .command('acknowledge')
    .description('say that an operator has seen that the log had lost history: doctor and /ops show it no more; it vouches for nothing')
    .option('--json', 'print one JSON value')
    .action((options: Pick<Options, 'json'>) => withStores(context, (stores) => acknowledge(context, stores, options)));
};

const acknowledge = async (context: CliContext, { setBacks, leaseClock }: Stores, options: Pick<Options, 'json'>): Promise<void> =>
  print(context, { acknowledged: await setBacks.acknowledge(leaseClock.now()) }, options);

const withStores = async (context: CliContext, work: (stores: Stores) => Promise<void>): Promise<void> => {
  const stores = await context.openStores();
  try {
    await work(stores);
  } finally {
    await stores.close();
  }
};

/** The log's identity; throws where the log is empty, another program's or half restored. */
const openedLog = async ({ log, clock, identifiers }: Stores): Promise<string> => {
  const logId = await log.identity();
  if (logId === null) throw new CommandFailed('the log is empty: there is no feed yet');
  await openFeed(log, clock, identifiers);
  return logId;
};

const renew = async (context: CliContext, stores: Stores, options: Options): Promise<void> => {
  const reason = options.reason.trim();
  if (reason === '' || reason.length > LONGEST_REASON) throw new CommandFailed(`--reason takes 1 to ${LONGEST_REASON} characters`);
  const logId = await openedLog(stores);
  const { installation } = stores;
  await requireOfThisLog(stores, logId);
  const place = await installation.place();
  const rebuilt = await installation
    .beginRenewal({ place, logId, ...(await whatLogHasLost(stores, logId)), reason, now: stores.leaseClock.now() })
    .catch((error: unknown) => {
      if (error instanceof StillHeld) throw new CommandFailed(`stop every process of the service first: ${error.message} run on this log`);
      throw error;
    });
  const { feedId, previousFeedId } = await renewFeed(stores, reason);
  await installation.keep(place, logId);
  print(context, { feedId, previousFeedId, rebuilt }, options);
};

const keep = async (context: CliContext, stores: Stores, options: Options): Promise<void> => {
  const logId = await openedLog(stores);
  await requireOfThisLog(stores, logId);
  const kept = await stores.installation.kept();
  if (kept !== null && kept.renewing !== null) {
    throw new CommandFailed('a renewal of the feed was begun: end it by `civic feed renew --reason TEXT`');
  }
  const place = await stores.installation.place();
  await stores.installation.keep(place, logId);
  print(context, { ...place, logId }, options);
};

const requireOfThisLog = async ({ installation }: Stores, logId: string): Promise<void> => {
  const kept = await installation.kept();
  if (kept === null || kept.logId === logId) return;
  throw new CommandFailed(
    `the database belongs to log ${kept.logId}, and the log is ${logId}: point DATABASE_URL and EVENTSTORE_URL at the same installation`,
  );
};
