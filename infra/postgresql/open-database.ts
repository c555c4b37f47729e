import {
  type PoolUse,
  type ReadDatabase,
  type Statement,
  type TextRow,
  type Traffic,
  type Transactor,
  WritesRefused,
} from '../../domain/ports/database.ts';
import { openCancellableReads, openClientPool } from './client-pool.ts';
import { columnArrays } from './column-arrays.ts';
import { openPipelinedConnections } from './pipelined-connection.ts';

interface DatabaseSettings {
  readonly dsn: string;
  readonly statementTimeoutMs: number;
  /** Deadline of a statement of a transaction; a fold takes longer than a read. */
  readonly foldTimeoutMs?: number;
  /** Shorter than a projector's lease: a suspended owner loses its row locks before another process takes over. */
  readonly idleInTransactionMs?: number;
  readonly transactionConnections?: number;
  readonly searchConnections?: number | undefined;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

/** Throws `DatabaseUnavailable` when the database cannot be reached; lost connections are opened again. */
export async function openDatabase({
  dsn,
  statementTimeoutMs,
  foldTimeoutMs = 60_000,
  idleInTransactionMs = 3_000,
  transactionConnections = 8,
  searchConnections = 2,
}: DatabaseSettings) {
  // A read that finds every connection in use waits for one until its deadline.
  const reading = { idleTimeoutMillis: 60_000, connectionTimeoutMillis: 2 * statementTimeoutMs };
  const typed = openClientPool({ dsn, purpose: 'reads', statementTimeoutMs }, 4, reading);
  const hot = openPipelinedConnections({ dsn, purpose: 'hot-reads', statementTimeoutMs }, 2);
  const counts = openPipelinedConnections({ dsn, purpose: 'counts', statementTimeoutMs, plansForGrowth: true, lossy: true }, 2);
  const searches = openCancellableReads({ dsn, purpose: 'searches', statementTimeoutMs }, searchConnections);
  const folds = { dsn, purpose: 'transactions', statementTimeoutMs: foldTimeoutMs, idleInTransactionMs, lookups: true };
  const transactions = openClientPool(folds, transactionConnections, { pipeline: true });
  const pools = { reads: typed, 'hot-reads': hot, counts, searches, transactions };
  const close = async () => void (await Promise.all(Object.values(pools).map((each) => each.close())));
  // They connect on first use; the start must fail when the database cannot be reached.
  await hot.run({ text: 'select', values: [] }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const read: ReadDatabase = { many: typed.many, texts: async (statement) => (await hot.run(statement)).rows };
  const transactor: Transactor = { transaction: transactions.transaction };
  let refusal: string | null = null;
  const count = async (statement: Statement): Promise<readonly TextRow[]> => {
    try {
      const { rows } = await counts.run(statement);
      refusal = null;
      return rows;
    } catch (error) {
      if (error instanceof WritesRefused) refusal = error.message;
      throw error;
    }
  };
  return {
    read,
    transactor,
    columns: columnArrays,
    /** Statements on unlogged tables, one transaction each, on their own pipelined connections: no commit waits for the disk. */
    counting: count,
    /** Null, or why the last statement of `counting` was refused: the database stores nothing. */
    writesRefused: () => refusal,
    /** Long reads, on their own connections: no other statement waits for them. */
    search: searches.run,
    use: (): readonly PoolUse[] => Object.entries(pools).map(([pool, { use }]) => ({ pool, ...use() })),
    close,
  };
}

/**
 * A read of a live generation looks at the first table (`requireLive`), a reactor that has handled events changes the second. A rebuild does
 * neither before its switch, and a wait for a read model looks at `civic.generations`.
 */
const USES = `select sum(case relname when 'projections' then coalesce(seq_scan, 0) + coalesce(idx_scan, 0) else n_tup_upd end)::text
  from pg_stat_user_tables where schemaname = 'civic' and relname in ('projections', 'processors')`;

export const createTraffic = (database: ReadDatabase): Traffic => ({
  async uses() {
    const [row] = await database.texts({ name: 'count_uses', text: USES, values: [] });
    return Number(row?.[0] ?? 0);
  },
});
