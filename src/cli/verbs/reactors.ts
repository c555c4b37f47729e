import type { Command } from 'commander';
import { listReactors } from '../../../queries/operators/list-reactors.ts';
import { type CliContext, CommandFailed } from '../context.ts';
import { runs } from '../verb.ts';

export function addReactorsCommands(program: Command, context: CliContext): void {
  const reactors = program.command('reactors').description('list reactors and resume a paused one');
  runs(context, 'log', reactors.command('list').description('lag and state of every reactor'), ({ listingReactors }) =>
    listReactors(listingReactors),
  );
  const retry = reactors.command('retry <name>').description('let a paused reactor try its events again');
  runs(context, 'log', retry, async ({ listingReactors, processorStore }, _, name) => {
    const known = await listReactors(listingReactors);
    const found = known.find((reactor) => reactor.name === name);
    if (found === undefined) throw new CommandFailed(`name one of ${known.map((reactor) => reactor.name).join(', ')}`);
    if (found.state !== 'paused') throw new CommandFailed(`${name} is not paused`);
    await processorStore.resume(name);
    return { name, resumed: true, poisonEvent: found.poisonEvent };
  });
}
