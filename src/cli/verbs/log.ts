import type { Command } from '@commander-js/extra-typings';
import { type CliContext, CommandFailed } from '../context.ts';
import { moveLog } from '../log-copy/move-log.ts';
import { warn } from '../output.ts';
import { withProgress } from '../progress-bar.ts';
import { runs } from '../verb.ts';

export function addLogCommands(program: Command, context: CliContext): void {
  const copy = program
    .command('log')
    .description('the log itself')
    .command('copy')
    .description('move the log to another store: copy what is missing there, compare every event, and put the read models on it')
    .requiredOption('--to <address>', 'esdb://… or kurrentdb://…, or postgresql for the database of the read models')
    .addHelpText(
      'after',
      '\nBeside a running service it copies and does not switch: stop every process of the service and run it again. What was stopped goes on where it was.',
    );
  runs(context, 'log', copy, async (civic, { to }) => {
    const target = await civic.openOtherLog(to).catch((error: unknown) => {
      throw new CommandFailed(`--to cannot be opened: ${(error as Error).message}`);
    });
    try {
      if ((await target.identity()) === (await civic.log.identity())) throw new CommandFailed('this log is in use already');
      const here = civic.settings.EVENTSTORE_URL === undefined ? 'source' : to === 'postgresql' ? 'target' : 'neither';
      const moved = await withProgress(context.stderr, 'events', (bar) =>
        moveLog(civic, target, here, { signal: context.stopping, onProgress: bar.update }),
      );
      if (!moved.switched) {
        warn(
          context,
          `not switched yet: ${moved.heldBy.join(', ')} run on the log in use; stop every process of the service and run this again`,
        );
      }
      return moved;
    } finally {
      await target.close();
    }
  });
}
