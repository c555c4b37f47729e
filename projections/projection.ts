import type { Statement } from '../domain/ports/database.ts';
import type { Projection } from '../domain/ports/projection.ts';
import { createTable, type ReadModel } from './tables.ts';

const differing = (left: string, right: string): Statement => ({
  text: `(${left} except ${right}) union all (${right} except ${left}) limit 3`,
  values: [],
});

/** Selects at most three rows that are in only one of two tables. */
export function sameRows(left: string, right: string): Statement {
  const rows = (table: string) => `select t::text as difference from ${table} t`;
  return differing(rows(left), rows(right));
}

function sameCounts(by: readonly string[], left: string, right: string): Statement {
  const counts = (table: string) =>
    `select concat_ws(' ', ${[...by, 'count(*)'].join(', ')}) as difference from ${table} ${by.length === 0 ? '' : `group by ${by.join(', ')}`}`;
  return differing(counts(left), counts(right));
}

/** Creates a projection. Two builds are compared row by row, but at a switch large tables only by their row counts. */
export const projection = (
  { name, tables }: ReadModel,
  parts: Pick<Projection, 'version' | 'handles' | 'fold'> & Partial<Projection>,
): Projection => ({
  name,
  tables: (generation) => Object.values(tables).map(({ at }) => at(generation)),
  create: (generation) => Object.values(tables).flatMap((table) => createTable(table, generation)),
  differences: (left, right, depth) =>
    Object.values(tables).map(({ at, countedBy }) =>
      depth === 'rows' || countedBy === undefined
        ? sameRows(at(left), at(right))
        : sameCounts(countedBy, at(left), at(right)),
    ),
  ...parts,
});
