import type { Command } from 'commander';
import type { AccountCommand, Channel, Tier } from '../../../commands/accounts/account-commands.ts';
import { handleAccountCommand } from '../../../commands/accounts/handle-account-command.ts';
import { listAccounts } from '../../../queries/list-accounts.ts';
import { channel, tier } from '../../domain/events/account-events.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import type { Civic } from '../../civic.ts';
import type { CliContext } from '../context.ts';
import { CommandFailed } from '../context.ts';
import { DEADLINE_MS, parseOption } from '../options.ts';
import { print } from '../output.ts';
import { waitUntilVisible, withCivic } from '../with-civic.ts';

interface Options {
  readonly json?: boolean;
  readonly account: string;
  readonly name: string;
  readonly tier: string;
  readonly channel: string;
  readonly paidUntil?: string;
  readonly at: string;
}

/** Runs one command on an account and waits until it can be read. */
export const commandAccount = async (context: CliContext, civic: Civic, accountId: string, command: AccountCommand): Promise<void> => {
  const handled = await handleAccountCommand(civic, {
    accountId,
    command,
    commandId: civic.identifiers.next(),
    context: {},
    deadline: civic.clock.now() + DEADLINE_MS,
  });
  if (handled.kind === 'rejected') throw new CommandFailed(handled.rejection.message);
  if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
};

export const addAccountsCommands = (program: Command, context: CliContext): void => {
  const accounts = program.command('accounts').description('customers and their billing facts');
  const run = (options: Options, command: () => AccountCommand) =>
    withCivic(context, { projector: true }, async (civic) => {
      const accountId = parseOption('--account', uuid, options.account, 'a uuid');
      await commandAccount(context, civic, accountId, command());
      print(context, { accountId }, options);
    });

  accounts
    .command('open')
    .description('open an account')
    .requiredOption('--name <name>', 'what people call it')
    .option('--tier <tier>', tier.options.join(', '), 'none')
    .option('--channel <channel>', channel.options.join(', '), 'unset')
    .option('--paid-until <time>', 'end of the paid period')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: true }, async (civic) => {
        const accountId = civic.identifiers.next();
        await commandAccount(context, civic, accountId, {
          type: 'OpenAccount',
          name: options.name,
          tier: parseOption<Tier>('--tier', tier, options.tier, tier.options.join(', ')),
          channel: parseOption<Channel>('--channel', channel, options.channel, channel.options.join(', ')),
          paidUntil: options.paidUntil === undefined ? null : parseOption('--paid-until', dateTime, options.paidUntil, 'an ISO 8601 time'),
        });
        print(context, { accountId }, options);
      }),
    );
  accounts
    .command('period')
    .description('set the tier and the end of the paid period')
    .requiredOption('--account <id>', 'account id')
    .requiredOption('--tier <tier>', tier.options.join(', '))
    .requiredOption('--paid-until <time>', 'end of the paid period')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      run(options, () => ({
        type: 'SetPeriod',
        tier: parseOption<Tier>('--tier', tier, options.tier, tier.options.join(', ')),
        paidUntil: parseOption('--paid-until', dateTime, options.paidUntil!, 'an ISO 8601 time'),
      })),
    );
  accounts
    .command('channel')
    .description('set the billing channel')
    .requiredOption('--account <id>', 'account id')
    .requiredOption('--channel <channel>', channel.options.join(', '))
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      run(options, () => ({
        type: 'SetChannel',
        channel: parseOption<Channel>('--channel', channel, options.channel, channel.options.join(', ')),
      })),
    );
  accounts
    .command('payment')
    .description('record a confirmed payment')
    .requiredOption('--account <id>', 'account id')
    .requiredOption('--at <time>', 'when it was confirmed')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      run(options, () => ({ type: 'ConfirmPayment', paidAt: parseOption('--at', dateTime, options.at, 'an ISO 8601 time') })),
    );
  for (const [name, type] of [
    ['suspend', 'SuspendAccount'],
    ['resume', 'ResumeAccount'],
  ] as const) {
    accounts
      .command(name)
      .description(`${name} an account`)
      .requiredOption('--account <id>', 'account id')
      .option('--json', 'print one JSON value')
      .action((options: Options) => run(options, () => ({ type })));
  }
  accounts
    .command('list')
    .description('every account')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: true }, async (civic) => {
        await civic.settled(await civic.log.head());
        print(context, await listAccounts(civic.reads), options);
      }),
    );
};
