import type { Position } from '../domain/ports/event-log.ts';
import type { Civic } from '../civic.ts';
import type { CliContext } from './context.ts';
import { warn } from './output.ts';

/** Opens the program for one command, folds along where no service does, and closes it whatever happens. */
export const withCivic = async <Result>(
  context: CliContext,
  options: { readonly projector: boolean },
  work: (civic: Civic) => Promise<Result>,
): Promise<Result> => {
  const civic = await context.open('command');
  try {
    if (options.projector) civic.startProjector();
    return await work(civic);
  } finally {
    await civic.close();
  }
};

/** Waits until what was appended can be read; a read model that lags is a warning, since the write stands. */
export const waitUntilVisible = async (context: CliContext, civic: Civic, position: Position | null): Promise<void> => {
  if (position !== null && !(await civic.settled(position))) {
    warn(context, 'the change is stored, but the read models have not caught up yet; the same command finds it later');
  }
};
