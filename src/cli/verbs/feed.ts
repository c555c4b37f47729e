import type { Command } from '@commander-js/extra-typings';
import { openedFeed, renewFeed, findLostHistory } from '../../../commands/feed/feed-identity.ts';
import { StillHeld, type Stores } from '../../../domain/ports/stores.ts';
import { explainCursor } from '../../../queries/feed/explain-cursor.ts';
import { LOG_START } from '../../../domain/ports/event-log.ts';
import type { Scope } from '../../../domain/events/account-events.ts';
import { logEvents } from '../../../domain/read-log.ts';
import { confirm, numbered, YES } from '../confirm.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { runs, textParser } from '../verb.ts';

const PAGE = 1_000;

export function addFeedCommands(program: Command, context: CliContext): void {
  const feed = program
    .command('feed')
    .description('renew or confirm the feed after its database was restored, recovered or moved');
  const renewal = feed
    .command('renew')
    .description('give the feed a new identity: every earlier cursor returns 410, and customers take a new snapshot')
    .requiredOption('--reason <text>', 'reason, stored in the log', textParser('--reason', 1000))
    .option(...YES)
    .addHelpText(
      'after',
      "\nFor a database that was set back by PostgreSQL's own means or from a disk image. After `civic restore` it is done already.",
    );
  runs(context, 'stores', renewal, (stores, { reason, yes }) => renew(context, stores, reason, yes));
  const keeping = feed
    .command('keep')
    .description('confirm that no data was lost and no other database serves the feed; the feed keeps its identity');
  runs(context, 'stores', keeping, keep);
  const acknowledging = feed
    .command('acknowledge')
    .description('acknowledge that the log lost history: doctor and /ops stop showing it');
  runs(context, 'stores', acknowledging, async ({ setBacks, leaseClock }) => ({
    acknowledged: await setBacks.acknowledge(leaseClock.now()),
  }));
}

/**
 * Returns the identity of the log. Throws if the log is empty, belongs to another program or database, or is only
 * partly restored.
 */
async function openedLog({ log, installation }: Stores): Promise<string> {
  const logId = await log.identity();
  if (logId === null || (await openedFeed(log)) === null)
    throw new CommandFailed('the log is empty: there is no feed yet');
  const stored = await installation.load();
  if (stored === null || stored.logId === logId) return logId;
  throw new CommandFailed(
    `the database belongs to log ${stored.logId}, and the log is ${logId}: point DATABASE_URL and EVENTSTORE_URL at the same installation`,
  );
}

interface FeedEventData {
  readonly id: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** Returns the keys that can read the feed, with their polling subscriptions. */
async function holders({ log, clock }: Stores) {
  const now = clock.now();
  const [keys, subscriptions] = [new Set<string>(), new Map<string, string>()];
  const types = ['KeyIssued', 'KeyRevoked', 'FeedSubscriptionCreated', 'FeedSubscriptionRevoked'];
  for await (const { type, data } of logEvents(log, LOG_START, { batchSize: PAGE, types })) {
    const { id, keyId, scopes, expiresAt } = JSON.parse(data) as FeedEventData;
    if (type === 'KeyIssued') {
      if (scopes.includes('civic:read') && (expiresAt === null || Date.parse(expiresAt) > now)) keys.add(keyId);
    } else if (type === 'KeyRevoked') keys.delete(keyId);
    else if (type === 'FeedSubscriptionCreated') subscriptions.set(id, keyId);
    else subscriptions.delete(id);
  }
  return { keys: keys.size, subscriptions: [...subscriptions.values()].filter((keyId) => keys.has(keyId)).length };
}

async function consequences(stores: Stores, logId: string): Promise<string> {
  const [{ keys, subscriptions }, { lost }] = await Promise.all([holders(stores), findLostHistory(stores, logId)]);
  return (
    `makes every cursor invalid: the customers of ${numbered(keys, 'key')} and ${numbered(subscriptions, 'subscription')} take a new snapshot, ` +
    `and ${lost.length} read models and reactors that have seen lost events go back`
  );
}

async function renew(context: CliContext, stores: Stores, reason: string, yes: boolean | undefined) {
  const logId = await openedLog(stores);
  const { installation } = stores;
  await confirm(context, { yes, what: () => consequences(stores, logId) });
  const identity = await installation.identity();
  const rebuilt = await installation
    .beginRenewal({ identity, logId, ...(await findLostHistory(stores, logId)), reason, now: stores.leaseClock.now() })
    .catch((error: unknown) => {
      if (error instanceof StillHeld)
        throw new CommandFailed(`stop every process of the service first: ${error.message} use this log`);
      throw error;
    });
  const { feedId, previousFeedId } = await renewFeed(stores, reason);
  await installation.keep(identity, logId);
  return { feedId, previousFeedId, rebuilt };
}

async function keep(stores: Stores) {
  const logId = await openedLog(stores);
  if (((await stores.installation.load())?.renewing ?? null) !== null) {
    throw new CommandFailed('a renewal of the feed was begun: end it by `civic feed renew --reason TEXT`');
  }
  const identity = await stores.installation.identity();
  await stores.installation.keep(identity, logId);
  return { ...identity, logId };
}

export function addCursorCommands(program: Command, context: CliContext): void {
  const explain = program
    .command('cursor')
    .description('inspect feed cursors')
    .command('explain <cursor>')
    .description('explain a cursor: its kind, its position, and what a read with it returns now');
  runs(context, 'read models', explain, ({ reads, clock, settings }, cursor) =>
    explainCursor({ reads, clock, retentionMs: settings.CIVIC_REPLAY_RETENTION }, cursor),
  );
}
