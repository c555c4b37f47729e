import { type Command, Option } from '@commander-js/extra-typings';
import type { CliContext } from '../context.ts';
import { ROLES } from '../../app/roles.ts';

export function addServeCommand(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT')
    .addOption(new Option('--role <role>', 'role of this process').choices(ROLES).default('all'))
    .action(async ({ role }) => {
      // Only this command needs the listeners and the tool protocol, half of the program's code.
      const { serve } = await import('../../app/serving/serve.ts');
      const civic = await context.open(role === 'all' ? 'service' : 'command');
      try {
        await serve(civic, {
          role,
          stopping: context.stopping,
          hurrying: context.hurrying,
          print: (text) => void context.stdout.write(text),
          toTerminal: context.stdout.isTTY,
        });
      } finally {
        await civic.close();
      }
    });
}
