import type { Columns } from '../../domain/columns.ts';
import type { Statement, StatementValue, TextRow, Transaction, Transactor } from '../../domain/ports/database.ts';

/** Values become parameters. A statement or a list of columns among them is inserted as SQL. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (StatementValue | Statement | Columns<unknown>)[]): Statement {
  const values: StatementValue[] = [];
  const insert = (part: (typeof parts)[number]): string => {
    if (typeof part === 'object' && part !== null && 'sql' in part) return part.sql;
    if (typeof part !== 'object' || part === null || !('text' in part)) return `$${values.push(part)}`;
    const before = values.length;
    values.push(...part.values);
    return part.text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
  };
  return { text: String.raw({ raw: strings }, ...parts.map(insert)), values };
}

/** Text of the program itself, where SQL takes no parameter, such as names of tables. */
export const verbatim = (text: string): Statement => ({ text, values: [] });

/** Runs statements, each in a transaction of its own or all in the given one. */
export function statementsIn(executor: Transactor | Transaction) {
  const run = (statement: Statement) =>
    'execute' in executor ? executor.execute(statement) : executor.transaction((transaction) => transaction.execute(statement));
  return {
    run,
    rows: async (statement: Statement): Promise<readonly TextRow[]> => (await run(statement)).rows,
    all: async <Row>({ read }: Columns<Row>, statement: Statement): Promise<readonly Row[]> => (await run(statement)).rows.map(read),
    first: async <Row>({ read }: Columns<Row>, statement: Statement): Promise<Row | null> => {
      const [row] = (await run(statement)).rows;
      return row === undefined ? null : read(row);
    },
    /** Whether the statement changed its one row. */
    changed: async (statement: Statement): Promise<boolean> => (await run(statement)).count === 1,
  };
}
