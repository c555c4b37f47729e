import type { Command } from 'commander';
import { explainCursor } from '../../../queries/explain-cursor.ts';
import type { CliContext } from '../context.ts';
import { print } from '../output.ts';
import { withCivic } from '../with-civic.ts';

export const addCursorCommands = (program: Command, context: CliContext): void => {
  program
    .command('cursor')
    .description('what a customer holds in the hand')
    .command('explain <cursor>')
    .description('say what a cursor is, where it stands, and what reading with it comes to now')
    .option('--json', 'print one JSON value')
    .action((cursor: string, options: { readonly json?: boolean }) =>
      withCivic(context, { projector: true }, async (civic) => {
        await civic.settled(await civic.log.head());
        const { reads, clock, settings } = civic;
        print(context, await explainCursor({ reads, clock, retentionMs: settings.CIVIC_REPLAY_RETENTION }, cursor), options);
      }),
    );
};
