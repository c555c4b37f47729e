import type { Civic } from '../civic.ts';
import type { Generation } from '../domain/ports/generations.ts';
import type { Projection } from '../domain/ports/projection.ts';
import { CommandFailed } from './context.ts';

/** The named read models, or all of them; a name that there is none of is refused with those that there are. */
export const chosenProjections = (civic: Civic, name: string | undefined, all: boolean): readonly Projection[] => {
  if (all && name === undefined) return civic.projections;
  const found = civic.projections.filter((projection) => projection.name === name);
  const names = civic.projections.map((projection) => projection.name);
  if (found.length === 0 || all) throw new CommandFailed(`name one of ${names.join(', ')}, or --all`);
  return found;
};

export const chosenProjection = (civic: Civic, name: string): Projection => {
  const found = civic.projections.find((projection) => projection.name === name);
  if (found === undefined) throw new CommandFailed(`name one of ${civic.projections.map((projection) => projection.name).join(', ')}`);
  return found;
};

/** Rows of one read model, newest first. */
export const generationsOf = async (civic: Civic, name: string): Promise<readonly Generation[]> =>
  (await civic.generations.list()).filter(({ projection }) => projection === name).toReversed();
