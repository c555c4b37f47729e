import { type FragmentSqlToken, type IdentifierSqlToken, sql } from 'slonik';
import type { Statement, StatementValue } from '../domain/ports/database.ts';
import { generationTable, type LiveGeneration, type LiveReads, requireLive } from '../domain/ports/projection.ts';
import type { ReadModel } from '../projections/tables.ts';

/**
 * Returns the table names of a generation and `isLive`, a condition that fails the statement once it is no longer live.
 */
export const tablesOf = <Model extends ReadModel>(model: Model, generation: number) => ({
  ...(model.at(generation) as ReturnType<Model['at']>),
  isLive: requireLive(model.name, generation),
});

/**
 * Returns SQL for the rows of a table, with null for columns that an earlier version of the read model lacks. That
 * version is read while the current one is built. `later` maps the names of these columns to their types.
 */
export function withLaterColumns(
  table: string,
  columns: readonly string[],
  later: Readonly<Record<string, string>>,
): string {
  const defaults = Object.entries(later).map(([name, type]) => `null::${type} as ${name}`);
  // If the table lacks a column, its name refers to the default row instead.
  return `(select present.* from (select ${defaults.join(', ')}) earlier
    cross join lateral (select ${[...columns, ...Object.keys(later)].join(', ')} from ${table}) present)`;
}

/** Wraps SQL of the program as a fragment of a slonik query. Must never contain text of a caller. */
export const programSql = (text: string): FragmentSqlToken => ({ ...sql.fragment``, sql: text });

/** Returns the tables and the condition of the live generation for slonik's tag. */
export function liveTokens<Model extends ReadModel>(model: Model, live: LiveGeneration) {
  const generation = live(model.name);
  const names = Object.entries(model.at(generation)).map(([part, name]) => [part, sql.identifier(name.split('.'))]);
  return {
    ...(Object.fromEntries(names) as { readonly [Part in keyof Model['tables']]: IdentifierSqlToken }),
    isLive: sql.fragment`(select civic.require_live(${model.name}, ${generation}))` satisfies FragmentSqlToken,
  };
}

interface LiveStatement<Model extends ReadModel> {
  /**
   * Name of the prepared statement, without the generation. If absent, the statement is planned for its values each
   * time.
   */
  readonly name?: string;
  readonly text: (tables: ReturnType<typeof tablesOf<Model>>) => string;
  readonly values?: readonly StatementValue[];
}

/** Builds the statement of a hot read for `reads.rows`. */
export const liveStatement =
  <Model extends ReadModel>(model: Model, { name, text, values = [] }: LiveStatement<Model>) =>
  (live: LiveGeneration): Statement => {
    const generation = live(model.name);
    return {
      ...(name === undefined ? {} : { name: `${name}_g${generation}` }),
      text: text(tablesOf(model, generation)),
      values,
    };
  };

/** Throws if the read model cannot be read. Called before a write whose result is read from it. */
export async function readModelAnswers(reads: LiveReads, projection: string): Promise<void> {
  await reads.rows((live) => {
    const generation = live(projection);
    return {
      name: `${projection}_answers_g${generation}`,
      text: `select from ${generationTable(projection, generation)}
        where ${requireLive(projection, generation)} limit 1`,
      values: [],
    };
  });
}
