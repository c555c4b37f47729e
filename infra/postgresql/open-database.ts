import type {
  CancellableRead,
  ColumnArrays,
  PoolUse,
  ReadDatabase,
  Statement,
  TextRow,
  Transactor,
} from '../../src/domain/ports/database.ts';
import { openCancellableReads } from './cancellable-reads.ts';
import { columnArrays } from './column-arrays.ts';
import { openPipelinedConnections } from './pipelined-connections.ts';
import { openTransactor } from './transactor.ts';
import { openTypedReads } from './typed-reads.ts';

export interface DatabaseSettings {
  readonly dsn: string;
  /** Deadline of one read. */
  readonly statementTimeoutMs: number;
  /** Deadline of one statement of a transaction: folds of whole batches take longer than reads. */
  readonly foldTimeoutMs?: number;
  /** Shorter than a projector's lease, so that a frozen owner gives up its rows before another takes over. */
  readonly idleInTransactionMs?: number;
  readonly hotConnections?: number;
  readonly typedConnections?: number;
  readonly transactionConnections?: number;
  readonly countingConnections?: number;
  readonly searchConnections?: number;
}

export interface Database {
  readonly read: ReadDatabase;
  readonly transactor: Transactor;
  readonly columns: ColumnArrays;
  /** Statements that count in unlogged tables, one transaction each, on pipelined connections of their own: no commit waits for the disk. */
  readonly counting: (statement: Statement) => Promise<readonly TextRow[]>;
  /** Reads that may take long, on connections of their own: no other statement waits for them. */
  readonly search: CancellableRead;
  /** Of each kind of connections. */
  use(): readonly PoolUse[];
  close(): Promise<void>;
}

const FOLD_TIMEOUT_MS = 60_000;
const IDLE_IN_TRANSACTION_MS = 3_000;

/** Opens the five kinds of connections. Throws `DatabaseUnavailable` when the database cannot be reached; losses later heal by themselves. */
export const openDatabase = async (settings: DatabaseSettings): Promise<Database> => {
  const { dsn, statementTimeoutMs } = settings;
  const typed = await openTypedReads({ dsn, purpose: 'reads', statementTimeoutMs }, settings.typedConnections ?? 4);
  const hot = openPipelinedConnections({ dsn, purpose: 'hot-reads', statementTimeoutMs }, settings.hotConnections ?? 2);
  const counting = openPipelinedConnections(
    { dsn, purpose: 'counts', statementTimeoutMs, plansForGrowth: true, lossy: true },
    settings.countingConnections ?? 2,
  );
  const searches = openCancellableReads({ dsn, purpose: 'searches', statementTimeoutMs }, settings.searchConnections ?? 2);
  const transactor = openTransactor(
    {
      dsn,
      purpose: 'transactions',
      statementTimeoutMs: settings.foldTimeoutMs ?? FOLD_TIMEOUT_MS,
      idleInTransactionMs: settings.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
      lookups: true,
    },
    settings.transactionConnections ?? 8,
  );
  return {
    read: {
      many: async (query) => await typed.many(query),
      texts: async (statement) => (await hot.run(statement)).rows,
    },
    transactor,
    columns: columnArrays,
    counting: async (statement) => (await counting.run(statement)).rows,
    search: searches.run,
    use: () => [
      { pool: 'reads', ...typed.use() },
      { pool: 'hot-reads', ...hot.use() },
      { pool: 'counts', ...counting.use() },
      { pool: 'searches', ...searches.use() },
      { pool: 'transactions', ...transactor.use() },
    ],
    close: async () => {
      await Promise.all([typed, hot, counting, searches, transactor].map((each) => each.close()));
    },
  };
};
