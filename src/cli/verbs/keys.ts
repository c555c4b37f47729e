import type { Command } from 'commander';
import { z } from 'zod';
import { issueKey } from '../../../commands/accounts/account-decider.ts';
import { listAccounts } from '../../../queries/accounts/list-accounts.ts';
import { findKey, listKeys } from '../../../queries/accounts/list-keys.ts';
import { scope, SCOPES } from '../../../domain/events/account-events.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { DEADLINE_MS, parseOption, runs, timeOf, uuidOf, uuidParser, waitUntilVisible } from '../verb.ts';
import { commandAccount } from './accounts.ts';

interface Options {
  readonly json?: boolean;
  readonly account: string;
  readonly scope: string;
  readonly expires?: string;
  readonly key: string;
}

function futureTime(text: string, now: number): string {
  const time = timeOf('--expires', text);
  if (Date.parse(time) <= now) throw new CommandFailed(`--expires is ${JSON.stringify(text)}, which is past; allowed is a time to come`);
  return time;
}

const scopes = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(scope).min(1));

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('API keys of an account');
  const issue = keys
    .command('issue')
    .description('issue a key; its secret is printed now and never again')
    .requiredOption('--account <id>', 'account id')
    .requiredOption('--scope <scopes>', `one or more of ${SCOPES.join(',')}`)
    .option('--expires <time>', 'when it stops working');
  runs(context, 'projector', issue, async (civic, options: Options) => {
    const { keyId, secret, handled } = await issueKey(civic, {
      accountId: uuidOf('--account', options.account),
      scopes: parseOption('--scope', scopes, options.scope, SCOPES.join(',')),
      expiresAt: options.expires === undefined ? null : futureTime(options.expires, civic.clock.now()),
      context: {},
      deadline: civic.clock.now() + DEADLINE_MS,
    });
    if (handled.kind === 'rejected') throw new CommandFailed(handled.rejection.message);
    if (handled.kind === 'appended') await waitUntilVisible(context, civic, handled.position);
    return { keyId, key: secret };
  });
  const revoke = keys.command('revoke').description('revoke a key for good').requiredOption('--key <id>', 'key id', uuidParser('--key'));
  runs(context, 'read models', revoke, async (civic, { key: keyId }: Options) => {
    const key = await findKey(civic.reads, keyId);
    if (key === null) throw new CommandFailed(`there is no key ${keyId}`);
    await commandAccount(context, civic, key.accountId, { type: 'RevokeKey', keyId });
    return { keyId };
  });
  const list = keys
    .command('list')
    .description('the keys of an account, without their secrets')
    .requiredOption('--account <id>', 'account id', uuidParser('--account'));
  runs(context, 'read models', list, async ({ reads }, { account: accountId }: Options) => {
    const listed = await listKeys(reads, accountId);
    if (listed.length === 0 && !(await listAccounts(reads)).some((account) => account.accountId === accountId)) {
      throw new CommandFailed(`there is no account ${accountId}`);
    }
    return listed;
  });
}
