import type { CancellableRead, ColumnArrays, PoolUse, ReadDatabase, Statement, TextRow, Transactor } from '../../domain/ports/database.ts';
import { columnArrays } from './column-arrays.ts';
import { openPipelinedConnections, PipelinedConnection } from './pipelined-connection.ts';
import { openTypedReads } from './typed-reads.ts';
import { executeOn, type HeldClient, isUseless, openClientPool } from './client-pool.ts';
import type { Session } from './sessions.ts';
import { setTimeout as after } from 'node:timers/promises';

/** Transactions of folds and commands, on a pool of connections with text rows. */
export function openTransactor(session: Session, connections: number) {
  const pool = openClientPool(session, connections);
  const transactor: Transactor = {
    transaction: (work) =>
      pool.run(async (held) => {
        try {
          await held.client.query('begin');
          const result = await work({ execute: (statement) => executeOn(held, statement) });
          await held.client.query('commit');
          return result;
        } catch (error) {
          held.isBroken ||= isUseless(error);
          if (!held.isBroken) await held.client.query('rollback').catch(() => (held.isBroken = true));
          throw error;
        }
      }),
  };
  return { ...transactor, use: pool.use, close: pool.close };
}

interface DatabaseSettings {
  readonly dsn: string;
  /** Deadline of one read. */
  readonly statementTimeoutMs: number;
  /** Deadline of one statement of a transaction: a fold takes longer than a read. */
  readonly foldTimeoutMs?: number;
  /** Shorter than a projector's lease: a suspended owner loses its row locks before another process takes over. */
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
  /** Statements on unlogged tables, one transaction each, on their own pipelined connections: no commit waits for the disk. */
  readonly counting: (statement: Statement) => Promise<readonly TextRow[]>;
  /** Long reads, on their own connections: no other statement waits for them. */
  readonly search: CancellableRead;
  /** Connections in use, by kind. */
  use(): readonly PoolUse[];
  close(): Promise<void>;
}

const FOLD_TIMEOUT_MS = 60_000;
const IDLE_IN_TRANSACTION_MS = 3_000;

/** Opens the five kinds of connections. Throws `DatabaseUnavailable` when the database cannot be reached; lost connections are opened again. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
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
  const close = async (): Promise<void> => {
    await Promise.all([typed, hot, counting, searches, transactor].map((each) => each.close()));
  };
  // They connect on first use; the start must fail when the database cannot be reached.
  await hot.run({ text: 'select', values: [] }).catch(async (error: unknown) => {
    await close();
    throw error;
  });
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
    close,
  };
}

const CANCEL_AGAIN_MS = 50;
const CANCEL_TIMEOUT_MS = 5_000;

export type CancellableReads = ReturnType<typeof openCancellableReads>;

/** Reads that PostgreSQL ends when their signal aborts. Each has its own connection, so that a cancel cannot reach another statement. */
export function openCancellableReads(session: Session, connections: number) {
  const pool = openClientPool(session, connections);
  const canceller = new PipelinedConnection({ dsn: session.dsn, purpose: 'cancels', statementTimeoutMs: CANCEL_TIMEOUT_MS });
  /** Repeats the cancel: the server ignores one that arrives before the statement begins. */
  const cancelUntil = async (ended: AbortSignal, held: HeldClient): Promise<void> => {
    // The types of `pg` leave out the process number of the server.
    const { processID } = held.client as unknown as { readonly processID: number };
    const cancel = { name: 'cancel', text: 'select pg_cancel_backend($1)', values: [processID] };
    while (!ended.aborted) {
      // A cancel without an answer may still arrive, and must not reach another statement.
      await canceller.run(cancel).catch(() => (held.isBroken = true));
      await after(CANCEL_AGAIN_MS, undefined, { signal: ended }).catch(() => undefined);
    }
  };
  const run: CancellableRead = (statement, signal) =>
    pool.run(async (held) => {
      signal.throwIfAborted();
      const ended = new AbortController();
      let cancelled: Promise<void> | undefined;
      const cancel = (): void => {
        cancelled = cancelUntil(ended.signal, held);
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return (await executeOn(held, statement)).rows;
      } finally {
        signal.removeEventListener('abort', cancel);
        ended.abort();
        await cancelled;
      }
    });
  return {
    run,
    use: () => pool.use(),
    close: async () => void (await Promise.all([pool.close(), canceller.close()])),
  };
}
