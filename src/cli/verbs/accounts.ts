import type { Command } from '@commander-js/extra-typings';
import { type AccountCommand, handleAccountCommand } from '../../../commands/accounts/account-decider.ts';
import { channel, tier } from '../../../domain/events/account-events.ts';
import { listAccounts, listAudit } from '../../../queries/accounts/account-lists.ts';
import type { Civic } from '../../app/civic.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { choiceParser, DEADLINE_MS, requireHandled, runs, timeParser, uuidParser } from '../verb.ts';

export async function commandAccount(
  context: CliContext,
  civic: Civic,
  accountId: string,
  command: AccountCommand,
): Promise<void> {
  const handled = await handleAccountCommand(civic, {
    accountId,
    command,
    commandId: civic.identifiers.next(),
    context: {},
    deadline: civic.clock.now() + DEADLINE_MS,
  });
  await requireHandled(context, civic, handled);
}

export const ofAccount = (command: Command) =>
  command.requiredOption('--account <id>', 'account id', uuidParser('--account'));
const TIER = ['--tier <tier>', tier.options.join(', '), choiceParser('--tier', tier.options)] as const;
const CHANNEL = [
  '--channel <channel>',
  channel.options.join(', '),
  choiceParser('--channel', channel.options),
] as const;
const PAID_UNTIL = ['--paid-until <time>', 'end of the paid period', timeParser('--paid-until')] as const;

export function addAccountsCommands(program: Command, context: CliContext): void {
  const accounts = program.command('accounts').description('manage customer accounts and their billing');
  const command = (name: string, description: string): Command => accounts.command(name).description(description);
  const decides = <Options extends { readonly account: string }>(
    leaf: Command<[], Options>,
    decide: (options: Options) => AccountCommand,
  ): void =>
    runs(context, 'read models', leaf, async (civic, options) => {
      await commandAccount(context, civic, options.account, decide(options));
      return { accountId: options.account };
    });

  const open = command('open', 'open an account')
    .requiredOption('--name <name>', 'name of the account')
    .option(...TIER, 'none')
    .option(...CHANNEL, 'unset')
    .option(...PAID_UNTIL);
  runs(context, 'projector', open, async (civic, { name, tier, channel, paidUntil = null }) => {
    const accountId = civic.identifiers.next();
    await commandAccount(context, civic, accountId, { type: 'OpenAccount', name, tier, channel, paidUntil });
    return { accountId };
  });
  decides(
    ofAccount(command('period', 'set the tier and the end of the paid period'))
      .requiredOption(...TIER)
      .requiredOption(...PAID_UNTIL),
    ({ tier, paidUntil }) => ({ type: 'SetPeriod', tier, paidUntil }),
  );
  decides(ofAccount(command('channel', 'set the billing channel')).requiredOption(...CHANNEL), ({ channel }) => ({
    type: 'SetChannel',
    channel,
  }));
  decides(
    ofAccount(command('payment', 'record a confirmed payment')).requiredOption(
      '--at <time>',
      'when it was confirmed',
      timeParser('--at'),
    ),
    ({ at }) => ({ type: 'ConfirmPayment', paidAt: at }),
  );
  decides(ofAccount(command('suspend', 'suspend an account')), () => ({ type: 'SuspendAccount' }));
  decides(ofAccount(command('resume', 'resume an account')), () => ({ type: 'ResumeAccount' }));
  runs(context, 'read models', command('list', 'every account'), ({ reads }) => listAccounts(reads));
}

export function addAuditCommand(program: Command, context: CliContext): void {
  const audit = ofAccount(
    program.command('audit').description('show who changed an account, with which key and request, oldest first'),
  );
  runs(context, 'read models', audit, async ({ reads }, { account: accountId }) => {
    const entries = await listAudit(reads, accountId);
    // Every account has at least the event that opened it.
    if (entries.length === 0) throw new CommandFailed(`there is no account ${accountId}`);
    return entries;
  });
}
