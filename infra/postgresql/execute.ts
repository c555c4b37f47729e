import type { StatementValue, Transactor } from '../../domain/ports/database.ts';

/** Executes statements without a name, each in a transaction of its own. */
export const executeAlone =
  (transactor: Transactor) =>
  (text: string, values: readonly StatementValue[] = []) =>
    transactor.transaction((transaction) => transaction.execute({ text, values }));
