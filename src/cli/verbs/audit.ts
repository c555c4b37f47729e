import type { Command } from 'commander';
import { listAudit } from '../../../queries/accounts/list-audit.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { runs, uuidParser } from '../verb.ts';

export function addAuditCommand(program: Command, context: CliContext): void {
  const audit = program
    .command('audit')
    .description('who wrote what for an account, with which key and request, newest last')
    .requiredOption('--account <id>', 'account id', uuidParser('--account'));
  runs(context, 'read models', audit, async ({ reads }, { account: accountId }: { readonly account: string; readonly json?: boolean }) => {
    const entries = await listAudit(reads, accountId);
    // Every account has at least the event that opened it.
    if (entries.length === 0) throw new CommandFailed(`there is no account ${accountId}`);
    return entries;
  });
}
