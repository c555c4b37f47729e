import type { Command } from 'commander';
import { listReactors } from '../../../queries/list-reactors.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { print } from '../output.ts';
import { withCivic } from '../with-civic.ts';

interface Options {
  readonly json?: boolean;
}

export const addReactorsCommands = (program: Command, context: CliContext): void => {
  const reactors = program.command('reactors').description('look at what follows from events by itself, and let it go on');
  reactors
    .command('list')
    .description('lag and state of every reactor')
    .option('--json', 'print one JSON value')
    .action((options: Options) =>
      withCivic(context, { projector: false }, async (civic) => print(context, await listReactors(civic.listingReactors), options)),
    );
  reactors
    .command('retry <name>')
    .description('let a paused reactor try its events again')
    .option('--json', 'print one JSON value')
    .action((name: string, options: Options) => runRetry(context, name, options));
};

const runRetry = (context: CliContext, name: string, options: Options): Promise<void> =>
  withCivic(context, { projector: false }, async ({ listingReactors, reactorStore }) => {
    const known = await listReactors(listingReactors);
    const found = known.find((reactor) => reactor.name === name);
    if (found === undefined) throw new CommandFailed(`name one of ${known.map((reactor) => reactor.name).join(', ')}`);
    if (found.state !== 'paused') throw new CommandFailed(`${name} is not paused`);
    await reactorStore.resume(name);
    print(context, { name, resumed: true, poisonEvent: found.poisonEvent }, options);
  });
