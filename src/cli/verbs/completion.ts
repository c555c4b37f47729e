import { Argument, type Command } from '@commander-js/extra-typings';
import { completionScript, SHELLS } from '../completion-scripts.ts';
import type { CliContext } from '../context.ts';

export function addCompletionCommand(program: Command, context: CliContext, whole: () => Promise<Command>): void {
  program
    .command('completion')
    .description('print a script with which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell) => void context.stdout.write(completionScript(shell, await whole())));
}
