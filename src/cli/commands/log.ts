import type { Command } from 'commander';
import { type CliContext, CommandFailed } from '../context.ts';
import { moveLog } from '../log-copy/move-log.ts';
import { print, warn } from '../output.ts';
import { progressBar } from '../progress-bar.ts';
import { withCivic } from '../with-civic.ts';

interface Options {
  readonly to: string;
  readonly json?: boolean;
}

export const addLogCommands = (program: Command, context: CliContext): void => {
  program
    .command('log')
    .description('the log itself')
    .command('copy')
    .description('move the log to another store: copy what is missing there, compare every event, and put the read models on it')
    .requiredOption('--to <address>', 'esdb://… or kurrentdb://…, or postgresql for the database of the read models')
    .option('--json', 'print one JSON value')
    .addHelpText(
      'after',
      '\nBeside a running service it copies and does not switch: stop every process of the service and run it again. What was stopped goes on where it was.',
    )
    .action((options: Options) => runCopy(context, options));
};

const runCopy = (context: CliContext, options: Options): Promise<void> =>
  withCivic(context, { projector: false }, async (civic) => {
    const target = await civic.openOtherLog(options.to).catch((error: unknown) => {
      throw new CommandFailed(`--to cannot be opened: ${(error as Error).message}`);
    });
    const bar = progressBar(context.stderr, 'events');
    try {
      if ((await target.identity()) === (await civic.log.identity())) throw new CommandFailed('this is the log that is in use already');
      const moved = await moveLog({
        source: civic.log,
        target,
        moves: civic.logMoves,
        projections: civic.projections,
        here: civic.settings.EVENTSTORE_URL === undefined ? 'source' : options.to === 'postgresql' ? 'target' : 'neither',
        leaseClock: civic.projectorDependencies.leaseClock,
        signal: context.stopping,
        onProgress: (events) => bar.update(events),
      });
      if (!moved.switched) {
        warn(
          context,
          `not switched yet: ${moved.heldBy.join(', ')} run on the log in use; stop every process of the service and run this again`,
        );
      }
      print(context, moved, options);
    } finally {
      bar.stop();
      await target.close();
    }
  });
