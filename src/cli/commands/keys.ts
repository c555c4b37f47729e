import type { Command } from 'commander';
import { z } from 'zod';
import { issueKey } from '../../../commands/accounts/issue-key.ts';
import { listAccounts } from '../../../queries/list-accounts.ts';
import { findKey, listKeys } from '../../../queries/list-keys.ts';
import { SCOPES, scope } from '../../domain/events/account-events.ts';
import { dateTime, uuid } from '../../domain/records/fields.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { DEADLINE_MS, parseOption } from '../options.ts';
import { print } from '../output.ts';
import { waitUntilVisible, withCivic } from '../with-civic.ts';
import { commandAccount } from './accounts.ts';

interface Options {
  readonly json?: boolean;
  readonly account: string;
  readonly scope: string;
  readonly expires?: string;
  readonly key: string;
}

/** A key that is dead at its birth is a slip of the pen. */
const timeToCome = (text: string, now: number): string => {
  const time = parseOption('--expires', dateTime, text, 'an ISO 8601 time');
  if (Date.parse(time) <= now) throw new CommandFailed(`--expires is ${JSON.stringify(text)}, which is past; allowed is a time to come`);
  return time;
};

const scopes = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(scope).min(1));

export const addKeysCommands = (program: Command, context: CliContext): void => {
  const keys = program.command('keys').description('API keys of an account');
  keys
    .command('issue')
    .description('issue a key; its secret is printed now and never again')
    .requiredOption('--account <id>', 'account id')
    .requiredOption('--scope <scopes>', `one or more of ${SCOPES.join(',')}`)
    .option('--expires <time>', 'when it stops working')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: true }, async (civic) => {
        const { keyId, secret, handled } = await issueKey(civic, {
          accountId: parseOption('--account', uuid, options.account, 'a uuid'),
          scopes: parseOption('--scope', scopes, options.scope, SCOPES.join(',')),
          expiresAt: options.expires === undefined ? null : timeToCome(options.expires, civic.clock.now()),
          context: {},
          deadline: civic.clock.now() + DEADLINE_MS,
        });
        if (handled.kind === 'rejected') throw new CommandFailed(handled.rejection.message);
        if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
        print(context, { keyId, key: secret }, options);
      }),
    );
  keys
    .command('revoke')
    .description('revoke a key for good')
    .requiredOption('--key <id>', 'key id')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: true }, async (civic) => {
        const keyId = parseOption('--key', uuid, options.key, 'a uuid');
        await civic.settled(await civic.log.head());
        const key = await findKey(civic.reads, keyId);
        if (key === null) throw new CommandFailed(`there is no key ${keyId}`);
        await commandAccount(context, civic, key.accountId, { type: 'RevokeKey', keyId });
        print(context, { keyId }, options);
      }),
    );
  keys
    .command('list')
    .description('the keys of an account, without their secrets')
    .requiredOption('--account <id>', 'account id')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: true }, async (civic) => {
        await civic.settled(await civic.log.head());
        const accountId = parseOption('--account', uuid, options.account, 'a uuid');
        const listed = await listKeys(civic.reads, accountId);
        if (listed.length === 0 && !(await listAccounts(civic.reads)).some((account) => account.accountId === accountId)) {
          throw new CommandFailed(`there is no account ${accountId}`);
        }
        print(context, listed, options);
      }),
    );
};
