import type { Statement } from '../domain/ports/database.ts';
import type { Projection } from '../domain/ports/projection.ts';
import { createTable, type ReadModel } from './tables.ts';

const differing = (left: string, right: string): Statement => ({
  text: `(${left} except ${right}) union all (${right} except ${left}) limit 3`,
  values: [],
});

/** At most three rows that are in one of two tables alone. */
export function sameRows(left: string, right: string): Statement {
  const rows = (table: string) => `select t::text from ${table} t`;
  return differing(rows(left), rows(right));
}

function sameCounts(by: readonly string[], left: string, right: string): Statement {
  const counts = (table: string) =>
    `select ${[...by, 'count(*)::text'].join(', ')} from ${table} ${by.length === 0 ? '' : `group by ${by.join(', ')}`}`;
  return differing(counts(left), counts(right));
}

/** Two builds are compared row by row; at a switch, large tables by their numbers of rows. */
export const projection = (
  { name, tables }: ReadModel,
  parts: Pick<Projection, 'version' | 'handles' | 'fold'> & Partial<Projection>,
): Projection => ({
  name,
  tables: (generation) => Object.values(tables).map(({ at }) => at(generation)),
  create: (generation) => Object.values(tables).flatMap((table) => createTable(table, generation)),
  differences: (left, right, depth) =>
    Object.values(tables).map(({ at, countedBy }) =>
      depth === 'rows' || countedBy === undefined ? sameRows(at(left), at(right)) : sameCounts(countedBy, at(left), at(right)),
    ),
  ...parts,
});
