import type { Answer, Statement } from '../../../domain/ports/database.ts';
import { GRACE_MS, openClientPool } from './client-pool.ts';
import { runAlone } from './run-statement.ts';
import type { Session } from './sessions.ts';
import { withinDeadline } from './within-deadline.ts';

export type StatementPool = ReturnType<typeof openStatementPool>;

/**
 * Runs single statements, each in its own transaction, on connections that stay open. The deadline includes the wait
 * for a connection. Throws `DatabaseUnavailable` or `DeadlineExceeded`; an error of the statement itself stays as it is.
 */
export function openStatementPool(session: Session & { readonly statementTimeoutMs: number }, connections: number) {
  const deadlineMs = session.statementTimeoutMs + GRACE_MS;
  const pool = openClientPool(session, connections, { idleTimeoutMillis: 0, connectionTimeoutMillis: deadlineMs });
  return {
    query: <Row>(statement: Statement): Promise<Answer<Row>> =>
      withinDeadline(deadlineMs, () => pool.run(({ client }) => runAlone<Row>(client, statement))),
    use: pool.use,
    close: pool.close,
  };
}
