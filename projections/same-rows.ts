import type { Statement } from '../domain/ports/database.ts';

/** Rows that are in one of two tables and not in the other, at most three. */
export const sameRows = (left: string, right: string): Statement => ({
  text: `(select l::text from ${left} l except select r::text from ${right} r)
    union all (select r::text from ${right} r except select l::text from ${left} l) limit 3`,
  values: [],
});

/** The numbers of rows of two tables, where they differ. */
export const sameCounts = (left: string, right: string): Statement => ({
  text: `select l.rows::text, r.rows::text from (select count(*) as rows from ${left}) l, (select count(*) as rows from ${right}) r
    where l.rows <> r.rows`,
  values: [],
});
