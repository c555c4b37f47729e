import type { ClientBase } from 'pg';
import type { Answer, Statement } from '../../../domain/ports/database.ts';
import { isNotPrepared } from './errors.ts';

/** Runs a statement and returns rows with named columns and parsed values. */
export async function query<Row>(client: ClientBase, statement: Statement): Promise<Answer<Row>> {
  const { rows, rowCount } = await client.query({ ...statement, values: statement.values as unknown[] });
  return { rows: rows as Row[], count: rowCount ?? 0 };
}

/**
 * Runs a statement outside of a transaction. Sends it again without its name if the session has not prepared it: a
 * pooler might run each statement in another session.
 */
export async function runAlone<Row>(client: ClientBase, statement: Statement): Promise<Answer<Row>> {
  try {
    return await query(client, statement);
  } catch (error) {
    if (!isNotPrepared(error)) throw error;
    const { text, values } = statement;
    return await query(client, { text, values });
  }
}
