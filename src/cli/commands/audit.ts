import type { Command } from 'commander';
import { listAudit } from '../../../queries/list-audit.ts';
import { uuid } from '../../domain/records/fields.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { parseOption } from '../options.ts';
import { print } from '../output.ts';
import { withCivic } from '../with-civic.ts';

interface Options {
  readonly json?: boolean;
  readonly account: string;
}

export const addAuditCommand = (program: Command, context: CliContext): void => {
  program
    .command('audit')
    .description('who wrote what for an account, with which key and request, newest last')
    .requiredOption('--account <id>', 'account id')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: true }, async (civic) => {
        const accountId = parseOption('--account', uuid, options.account, 'a uuid');
        await civic.settled(await civic.log.head());
        const entries = await listAudit(civic.reads, accountId);
        // An account begins with an event of its own, so that none is no account.
        if (entries.length === 0) throw new CommandFailed(`there is no account ${accountId}`);
        print(context, entries, options);
      }),
    );
};
