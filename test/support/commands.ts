import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { CliContext } from '../../src/cli/context.ts';
import { commandsOf, isRunnable, type NamedCommand } from '../../src/cli/examples.ts';
import { createProgram } from '../../src/cli/program.ts';

/** A context in which a command can be described and not run. */
export const NO_CONTEXT: CliContext = {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  stopping: new AbortController().signal,
  hurrying: new AbortController().signal,
  open: () => Promise.reject(new Error('nothing is opened to list the commands')),
  openAhead: () => Promise.reject(new Error('nothing is opened to list the commands')),
  openDocuments: () => Promise.reject(new Error('nothing is opened to list the commands')),
  openConnectors: () => Promise.reject(new Error('nothing is opened to list the commands')),
  openStores: () => Promise.reject(new Error('nothing is opened to list the commands')),
  examination: {
    environment: {},
    clock: { now: () => 0 },
    probes: () => {
      throw new Error('nothing is looked at to list the commands');
    },
  },
};

export const programAlone = () => createProgram(NO_CONTEXT);

/** Every command that does something, by its words. */
export const leaves = (program: CommandUnknownOpts): readonly NamedCommand[] => commandsOf(program).filter(isRunnable);
