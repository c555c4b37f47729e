import type { Statement, StatementValue, TypedQuery } from '../../domain/ports/database.ts';

/** A query of slonik with the placeholders of PostgreSQL, for tests that explain it. */
export const statementOf = ({ sql, values }: TypedQuery<unknown>): Statement => ({
  text: sql.replaceAll('$slonik_', '$'),
  values: values as readonly StatementValue[],
});
