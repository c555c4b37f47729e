import { type FragmentSqlToken, type IdentifierSqlToken, sql } from 'slonik';
import type { StatementValue, TextRow } from '../domain/ports/database.ts';
import { generationTable, type LiveGeneration, type LiveReads, requireLive } from '../domain/ports/projection.ts';
import type { ReadModel } from '../projections/tables.ts';

/** The full names of a generation's tables, and `isLive`: the condition that fails a statement once the generation is no longer live. */
export const tablesOf = <Model extends ReadModel>(model: Model, generation: number) => ({
  ...(model.at(generation) as ReturnType<Model['at']>),
  isLive: requireLive(model.name, generation),
});

/**
 * SQL of the rows of a table with columns that an earlier version of its read model lacks, which is read while the present one is built: null
 * there. `later` are their types by their names.
 */
export function withLaterColumns(table: string, columns: readonly string[], later: Readonly<Record<string, string>>): string {
  const defaults = Object.entries(later).map(([name, type]) => `null::${type} as ${name}`);
  // A name that the table does not have is that of the row beside it.
  return `(select present.* from (select ${defaults.join(', ')}) earlier
    cross join lateral (select ${[...columns, ...Object.keys(later)].join(', ')} from ${table}) present)`;
}

/** The same of the live generation for slonik's tag. */
export function liveTokens<Model extends ReadModel>(model: Model, live: LiveGeneration) {
  const generation = live(model.name);
  const names = Object.entries(model.at(generation)).map(([part, name]) => [part, sql.identifier(name.split('.'))]);
  return {
    ...(Object.fromEntries(names) as { readonly [Part in keyof Model['tables']]: IdentifierSqlToken }),
    isLive: sql.fragment`(select civic.require_live(${model.name}, ${generation}))` satisfies FragmentSqlToken,
  };
}

interface LiveStatement<Model extends ReadModel> {
  /** Of the prepared statement, without the generation. Left out: it is planned for these values and the tables as they are. */
  readonly name?: string;
  readonly text: (tables: ReturnType<typeof tablesOf<Model>>) => string;
  readonly values?: readonly StatementValue[];
}

export const liveRows = <Model extends ReadModel>(
  reads: LiveReads,
  model: Model,
  { name, text, values = [] }: LiveStatement<Model>,
): Promise<readonly TextRow[]> =>
  reads.texts((live) => {
    const generation = live(model.name);
    return { ...(name === undefined ? {} : { name: `${name}_g${generation}` }), text: text(tablesOf(model, generation)), values };
  });

/** Called before a write whose result is read in this read model, so that one that cannot be read refuses the write. */
export async function readModelAnswers(reads: LiveReads, projection: string): Promise<void> {
  await reads.texts((live) => {
    const generation = live(projection);
    return {
      name: `${projection}_answers_g${generation}`,
      text: `select from ${generationTable(projection, generation)} where ${requireLive(projection, generation)} limit 1`,
      values: [],
    };
  });
}
