import type { Statement } from '../domain/ports/database.ts';

/** Rows that are in one of two tables and not in the other, at most three. */
export const sameRows = (left: string, right: string): Statement => ({
  text: `(select l::text from ${left} l except select r::text from ${right} r)
    union all (select r::text from ${right} r except select l::text from ${left} l) limit 3`,
  values: [],
});
