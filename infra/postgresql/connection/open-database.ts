import {
  type Answer,
  type PoolUse,
  type ReadDatabase,
  type Statement,
  type Transactor,
  WritesRefused,
} from '../../../domain/ports/database.ts';
import { openCancellableReads, openClientPool } from './client-pool.ts';
import { openStatementPool } from './statement-pool.ts';
import { openTypedReads } from './typed-reads.ts';

interface DatabaseSettings {
  readonly dsn: string;
  readonly statementTimeoutMs: number;
  /** Deadline of a statement in a transaction, because a fold runs longer than a read. */
  readonly foldTimeoutMs?: number;
  /**
   * Shorter than a projector's lease, so that a suspended owner loses its row locks before another process takes over.
   */
  readonly idleInTransactionMs?: number;
  readonly transactionConnections?: number;
  readonly searchConnections?: number | undefined;
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;

async function openPools({
  dsn,
  statementTimeoutMs,
  foldTimeoutMs = 60_000,
  idleInTransactionMs = 3_000,
  transactionConnections = 8,
  searchConnections = 2,
}: DatabaseSettings) {
  const growing = { plansForGrowth: true, lossy: true };
  const folds = { dsn, purpose: 'transactions', statementTimeoutMs: foldTimeoutMs, idleInTransactionMs, lookups: true };
  return {
    reads: await openTypedReads({ dsn, purpose: 'reads', statementTimeoutMs }, 4),
    'hot-reads': openStatementPool({ dsn, purpose: 'hot-reads', statementTimeoutMs, inOrder: true }, 4),
    counts: openStatementPool({ dsn, purpose: 'counts', statementTimeoutMs, ...growing }, 2),
    searches: openCancellableReads({ dsn, purpose: 'searches', statementTimeoutMs }, searchConnections),
    transactions: openClientPool(folds, transactionConnections, { pipeline: true }),
  };
}

/** Remembers why the database refused the last write; null after a successful one. */
function createRefusalNote() {
  let refusal: string | null = null;
  return {
    refusal: () => refusal,
    note: async <Row>(counting: Promise<Answer<Row>>): Promise<readonly Row[]> => {
      try {
        const { rows } = await counting;
        refusal = null;
        return rows;
      } catch (error) {
        if (error instanceof WritesRefused) refusal = error.message;
        throw error;
      }
    },
  };
}

/** Opens the database. Throws `DatabaseUnavailable` if it cannot be reached. Lost connections are reopened. */
export async function openDatabase(settings: DatabaseSettings) {
  const pools = await openPools(settings);
  const { reads, 'hot-reads': hot, counts, searches, transactions } = pools;
  const close = async () => void (await Promise.all(Object.values(pools).map((each) => each.close())));
  // Pools connect on first use, so run a statement: the start must fail if the database cannot be reached.
  await hot.query({ text: 'select', values: [] }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const read: ReadDatabase = {
    many: reads.many,
    rows: async <Row>(statement: Statement) => (await hot.query<Row>(statement)).rows,
  };
  const transactor: Transactor = { transaction: transactions.transaction };
  const { refusal, note } = createRefusalNote();
  return {
    read,
    transactor,
    /** Runs a statement on unlogged tables in its own transaction, whose commit does not wait for the disk. */
    countRows: <Row>(statement: Statement) => note(counts.query<Row>(statement)),
    /** Returns why the database refused the last write of `countRows`, or null. */
    writesRefused: refusal,
    /** Runs long reads on separate connections, so that no other statement waits for them. */
    search: searches.run,
    use: (): readonly PoolUse[] => Object.entries(pools).map(([pool, { use }]) => ({ pool, ...use() })),
    close,
  };
}
