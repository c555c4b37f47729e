import type { Command } from 'commander';
import { type AccountCommand, handleAccountCommand } from '../../../commands/accounts/account-decider.ts';
import { listAccounts } from '../../../queries/accounts/list-accounts.ts';
import { channel, tier } from '../../../domain/events/account-events.ts';
import type { Civic } from '../../civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { DEADLINE_MS, oneOf, runs, timeOf, uuidOf, waitUntilVisible } from '../verb.ts';

interface Options {
  readonly json?: boolean;
  readonly account: string;
  readonly name: string;
  readonly tier: string;
  readonly channel: string;
  readonly paidUntil?: string;
  readonly at: string;
}

/** Runs one command on an account and waits until the change is visible. */
export async function commandAccount(context: CliContext, civic: Civic, accountId: string, command: AccountCommand): Promise<void> {
  const handled = await handleAccountCommand(civic, {
    accountId,
    command,
    commandId: civic.identifiers.next(),
    context: {},
    deadline: civic.clock.now() + DEADLINE_MS,
  });
  if (handled.kind === 'rejected') throw new CommandFailed(handled.rejection.message);
  if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
}

const TIERS = tier.options.join(', ');
const CHANNELS = channel.options.join(', ');
const PAID_UNTIL = ['--paid-until <time>', 'end of the paid period'] as const;

export function addAccountsCommands(program: Command, context: CliContext): void {
  const accounts = program.command('accounts').description('accounts of customers and their billing');
  const command = (name: string, description: string): Command => accounts.command(name).description(description);
  const ofAccount = (name: string, description: string): Command =>
    command(name, description).requiredOption('--account <id>', 'account id');
  const decides = (leaf: Command, decide: (options: Options) => AccountCommand): void =>
    runs(context, 'projector', leaf, async (civic, options: Options) => {
      const accountId = uuidOf('--account', options.account);
      await commandAccount(context, civic, accountId, decide(options));
      return { accountId };
    });

  runs(
    context,
    'projector',
    command('open', 'open an account')
      .requiredOption('--name <name>', 'name of the account')
      .option('--tier <tier>', TIERS, 'none')
      .option('--channel <channel>', CHANNELS, 'unset')
      .option(...PAID_UNTIL),
    async (civic, options: Options) => {
      const accountId = civic.identifiers.next();
      await commandAccount(context, civic, accountId, {
        type: 'OpenAccount',
        name: options.name,
        tier: oneOf('--tier', tier.options, options.tier),
        channel: oneOf('--channel', channel.options, options.channel),
        paidUntil: options.paidUntil === undefined ? null : timeOf('--paid-until', options.paidUntil),
      });
      return { accountId };
    },
  );
  decides(
    ofAccount('period', 'set the tier and the end of the paid period')
      .requiredOption('--tier <tier>', TIERS)
      .requiredOption(...PAID_UNTIL),
    (options) => ({
      type: 'SetPeriod',
      tier: oneOf('--tier', tier.options, options.tier),
      paidUntil: timeOf('--paid-until', options.paidUntil!),
    }),
  );
  decides(ofAccount('channel', 'set the billing channel').requiredOption('--channel <channel>', CHANNELS), (options) => ({
    type: 'SetChannel',
    channel: oneOf('--channel', channel.options, options.channel),
  }));
  decides(ofAccount('payment', 'record a confirmed payment').requiredOption('--at <time>', 'when it was confirmed'), (options) => ({
    type: 'ConfirmPayment',
    paidAt: timeOf('--at', options.at),
  }));
  decides(ofAccount('suspend', 'suspend an account'), () => ({ type: 'SuspendAccount' }));
  decides(ofAccount('resume', 'resume an account'), () => ({ type: 'ResumeAccount' }));
  runs(context, 'read models', command('list', 'every account'), ({ reads }) => listAccounts(reads));
}
