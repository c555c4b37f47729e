import { setTimeout as after } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import type { CancellableRead, Statement, Transactor } from '../../../domain/ports/database.ts';
import { isConnectionLoss, isReadTimeout, mapError } from './errors.ts';
import { query, runAlone } from './run-statement.ts';
import { clientConfig, CONNECT_TIMEOUT_MS, type Session } from './sessions.ts';

/** Milliseconds from the server's deadline of a statement to the client's. */
export const GRACE_MS = 1_000;

/**
 * Options of pg's pool, in milliseconds: when an idle connection closes, and how long a caller waits for a free
 * connection (5 s by default). `pipeline` sends statements without waiting for earlier answers.
 */
type Pooling = Pick<PoolConfig, 'idleTimeoutMillis' | 'connectionTimeoutMillis' | 'pipeline'>;

interface PooledClient {
  readonly client: PoolClient;
  /** If true, the pool replaces the connection when it is released. */
  isBroken: boolean;
}

/** Connects with a fixed timeout. The pool's timeout would also include the wait for a free connection. */
class PoolConnection extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/** Returns a hook that runs a statement on each new connection. The pool awaits it, although its type says `void`. */
function setUp(text: string) {
  const statement = { text, query_timeout: CONNECT_TIMEOUT_MS };
  return ((client) => client.query(statement)) as NonNullable<PoolConfig['onConnect']>;
}

/** Opens a pool that connects on demand. Callers must not change session state. */
export function openClientPool(session: Session, connections: number, pooling: Pooling = {}) {
  const { statementTimeoutMs: timeout, graceMs = GRACE_MS, onConnect } = session;
  const pool = new Pool({
    ...clientConfig(session),
    Client: PoolConnection,
    max: connections,
    ...pooling,
    ...(timeout === undefined ? {} : { query_timeout: timeout + graceMs }),
    ...(onConnect === undefined ? {} : { onConnect: setUp(onConnect) }),
  });
  pool.on('error', () => undefined);

  /** Runs work on a connection. Throws its mapped error, or `DatabaseUnavailable` if there is no connection. */
  async function run<Result>(work: (pooled: PooledClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect().catch((error: unknown) => {
      throw mapError(error);
    });
    const pooled: PooledClient = { client, isBroken: false };
    const markBroken = (): void => void (pooled.isBroken = true);
    client.on('error', markBroken);
    try {
      return await work(pooled);
    } catch (error) {
      pooled.isBroken ||= isUseless(error);
      throw mapError(error);
    } finally {
      client.off('error', markBroken);
      client.release(pooled.isBroken);
    }
  }

  const transaction: Transactor['transaction'] = (work) =>
    run(async (pooled) => {
      try {
        await pooled.client.query('begin');
        const result = await work({
          query: (statement) => query(pooled.client, statement),
        });
        await pooled.client.query('commit');
        return result;
      } catch (error) {
        pooled.isBroken ||= isUseless(error);
        if (!pooled.isBroken) await pooled.client.query('rollback').catch(() => (pooled.isBroken = true));
        throw error;
      }
    });

  return {
    run,
    transaction,
    use: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    close: async () => (pool.ending ? undefined : await pool.end()),
  };
}

/** True if the connection cannot be used after this error. */
const isUseless = (error: unknown): boolean => isConnectionLoss(error) || isReadTimeout(error);

const CANCEL_AGAIN_MS = 50;
const CANCEL_TIMEOUT_MS = 5_000;
export type CancellableReads = ReturnType<typeof openCancellableReads>;

/**
 * Opens reads that PostgreSQL cancels when their signal aborts. Each has its own connection, so a cancel hits no other
 * read.
 */
export function openCancellableReads(session: Session, connections: number) {
  const pool = openClientPool(session, connections);
  const cancels = { dsn: session.dsn, purpose: 'cancels', statementTimeoutMs: CANCEL_TIMEOUT_MS };
  const canceller = openClientPool(cancels, 1, { idleTimeoutMillis: 0 });
  const backends = new WeakMap<PoolClient, number>();
  /** Returns the server process of a connection. */
  const backendOf = async ({ client }: PooledClient): Promise<number> => {
    const cached = backends.get(client);
    if (cached !== undefined) return cached;
    const { rows } = await query<{ pid: number }>(client, { text: 'select pg_backend_pid() as pid', values: [] });
    const { pid } = rows[0]!;
    backends.set(client, pid);
    return pid;
  };
  /** Repeats the cancel, because the server ignores one that arrives before the statement starts. */
  const cancelUntil = async (ended: AbortSignal, pooled: PooledClient, backend: number): Promise<void> => {
    const cancel = { name: 'cancel', text: 'select pg_cancel_backend($1)', values: [backend] };
    while (!ended.aborted) {
      // A cancel without an answer might still arrive. Drop the connection, so that it hits no other statement.
      await canceller.run(({ client }) => runAlone(client, cancel)).catch(() => (pooled.isBroken = true));
      await after(CANCEL_AGAIN_MS, undefined, { signal: ended }).catch(() => undefined);
    }
  };
  const run: CancellableRead = <Row>(statement: Statement, signal: AbortSignal) =>
    pool.run(async (pooled) => {
      const backend = await backendOf(pooled);
      signal.throwIfAborted();
      const ended = new AbortController();
      let canceling: Promise<void> | undefined;
      const cancel = (): void => void (canceling = cancelUntil(ended.signal, pooled, backend));
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return (await query<Row>(pooled.client, statement)).rows;
      } finally {
        signal.removeEventListener('abort', cancel);
        ended.abort();
        await canceling;
      }
    });
  return { run, use: pool.use, close: async () => void (await Promise.all([pool.close(), canceller.close()])) };
}
