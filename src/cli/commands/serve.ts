import { type Command, Option } from 'commander';
import { ROLES, serve, type ServeRole } from '../../serving/serve.ts';
import type { CliContext } from '../context.ts';

export const addServeCommand = (program: Command, context: CliContext): void => {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .addOption(new Option('--role <role>', 'what this process does').choices(ROLES).default('all'))
    .action(async ({ role }: { readonly role: ServeRole }) => {
      const civic = await context.open(role === 'all' ? 'service' : 'command');
      try {
        await serve(civic, { role, stopping: context.stopping, print: (text) => void context.stdout.write(text) });
      } finally {
        await civic.close();
      }
    });
};
