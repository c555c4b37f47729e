import type { Answer, Statement, StatementValue, Transaction, Transactor } from '../../../domain/ports/database.ts';

/** Tag for SQL. Values become parameters; a nested statement is inserted as SQL. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (StatementValue | Statement)[]): Statement {
  const values: StatementValue[] = [];
  const insert = (part: (typeof parts)[number]): string => {
    if (typeof part !== 'object' || part === null || !('text' in part)) return `$${values.push(part)}`;
    const before = values.length;
    values.push(...part.values);
    return part.text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
  };
  return { text: String.raw({ raw: strings }, ...parts.map(insert)), values };
}

/** Wraps trusted SQL text, for what cannot be a parameter, such as a table name. */
export const verbatim = (text: string): Statement => ({ text, values: [] });

/** Builds the SQL of a column list. Keys are the names in the row. */
export const columnList = (columns: Readonly<Record<string, string>>): Statement =>
  verbatim(
    Object.entries(columns)
      .map(([name, column]) => `${column} as "${name}"`)
      .join(', '),
  );

/** Runs each statement in its own transaction, or all of them in an existing one. */
export function statementsIn(executor: Transactor | Transaction) {
  const query = <Row>(statement: Statement): Promise<Answer<Row>> =>
    'query' in executor
      ? executor.query<Row>(statement)
      : executor.transaction((transaction) => transaction.query<Row>(statement));
  return {
    /** Returns the number of affected or returned rows. */
    run: async (statement: Statement): Promise<number> => (await query(statement)).count,
    all: async <Row>(statement: Statement): Promise<readonly Row[]> => (await query<Row>(statement)).rows,
    first: async <Row>(statement: Statement): Promise<Row | null> => (await query<Row>(statement)).rows[0] ?? null,
    /** Returns true if the statement changed exactly one row. */
    changed: async (statement: Statement): Promise<boolean> => (await query(statement)).count === 1,
  };
}
