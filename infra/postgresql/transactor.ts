import { Pool, type PoolClient, type QueryArrayResult } from 'pg';
import type { PoolUse, Transaction, Transactor } from '../../src/domain/ports/database.ts';
import { isConnectionLoss, isReadTimeout, mapError } from './errors.ts';
import { clientConfig, type Session } from './sessions.ts';

const GRACE_MS = 1_000;

/** Transactions of folds and commands, on a pool of connections with text rows. */
export const openTransactor = (
  session: Session,
  connections: number,
): Transactor & { use(): Omit<PoolUse, 'pool'>; close(): Promise<void> } => {
  const timeout = session.statementTimeoutMs;
  const pool = new Pool({
    ...clientConfig(session),
    max: connections,
    ...(timeout === undefined ? {} : { query_timeout: timeout + GRACE_MS }),
  });
  pool.on('error', () => undefined);

  const onClient = (client: PoolClient): Transaction => ({
    async execute(statement) {
      const result: QueryArrayResult<(string | null)[]> = await client.query({
        ...statement,
        values: statement.values as unknown[],
        rowMode: 'array',
      });
      return { rows: result.rows, count: result.rowCount ?? 0 };
    },
  });

  return {
    async transaction(work) {
      const client = await pool.connect().catch((error: unknown) => {
        throw mapError(error);
      });
      let broken = false;
      const lost = (): void => {
        broken = true;
      };
      client.on('error', lost);
      try {
        await client.query('begin');
        const result = await work(onClient(client));
        await client.query('commit');
        return result;
      } catch (error) {
        const mapped = mapError(error);
        broken ||= isConnectionLoss(error) || isReadTimeout(error);
        if (!broken) await client.query('rollback').catch(lost);
        throw mapped;
      } finally {
        client.off('error', lost);
        client.release(broken);
      }
    },
    use: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    close: async () => await pool.end(),
  };
};
