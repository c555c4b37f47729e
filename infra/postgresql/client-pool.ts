import { Pool, type PoolClient, type QueryArrayResult } from 'pg';
import type { Statement } from '../../domain/ports/database.ts';
import { isConnectionLoss, isReadTimeout, mapError } from './errors.ts';
import type { Answer } from './pipelined-connection.ts';
import { clientConfig, type Session } from './sessions.ts';

const GRACE_MS = 1_000;

/** A connection of the pool, held by one caller. */
export interface HeldClient {
  readonly client: PoolClient;
  /** True when the connection is unusable: the pool closes it and opens another. */
  isBroken: boolean;
}

/** A pool that opens connections on demand, up to a maximum; rows are text. */
export function openClientPool(session: Session, connections: number) {
  const timeout = session.statementTimeoutMs;
  const pool = new Pool({
    ...clientConfig(session),
    max: connections,
    ...(timeout === undefined ? {} : { query_timeout: timeout + GRACE_MS }),
  });
  pool.on('error', () => undefined);
  return {
    /** Runs work with its own connection. Throws what the work threw, mapped; `DatabaseUnavailable` when there is no connection. */
    async run<Result>(work: (held: HeldClient) => Promise<Result>): Promise<Result> {
      const client = await pool.connect().catch((error: unknown) => {
        throw mapError(error);
      });
      const held: HeldClient = { client, isBroken: false };
      const lost = (): void => {
        held.isBroken = true;
      };
      client.on('error', lost);
      try {
        return await work(held);
      } catch (error) {
        held.isBroken ||= isUseless(error);
        throw mapError(error);
      } finally {
        client.off('error', lost);
        client.release(held.isBroken);
      }
    },
    use: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    close: async () => await pool.end(),
  };
}

/** True for an error after which nothing more may be sent on the connection. */
export const isUseless = (error: unknown): boolean => isConnectionLoss(error) || isReadTimeout(error);

export async function executeOn({ client }: HeldClient, statement: Statement): Promise<Answer> {
  const result: QueryArrayResult<(string | null)[]> = await client.query({
    ...statement,
    values: statement.values as unknown[],
    rowMode: 'array',
  });
  return { rows: result.rows, count: result.rowCount ?? 0 };
}
