import { setTimeout as after } from 'node:timers/promises';
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { type CancellableRead, DeadlineExceeded, type Transactor, type TypedQuery } from '../../domain/ports/database.ts';
import { isConnectionLoss, isReadTimeout, mapError } from './errors.ts';
import { execute, PipelinedConnection } from './pipelined-connection.ts';
import { clientConfig, CONNECT_TIMEOUT_MS, type Session } from './sessions.ts';

const GRACE_MS = 1_000;

/**
 * Milliseconds of pg's pool: until an idle connection ends, and until a caller without a connection is refused (5 s without it).
 * `pipeline`: statements that are given at once are sent at once.
 */
type Pooling = Pick<PoolConfig, 'idleTimeoutMillis' | 'connectionTimeoutMillis' | 'pipeline'>;

interface HeldClient {
  readonly client: PoolClient;
  /** When it is, the pool closes the connection and opens another. */
  isBroken: boolean;
}

/** For typed rows: bigint becomes number. */
const typed = {
  getTypeParser: ((oid: Parameters<typeof types.getTypeParser>[0]) =>
    oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)) as typeof types.getTypeParser,
};

/** The limit of a pool covers the wait for a free connection too; that of a connection stays its own. */
class PoolConnection extends Client {
  constructor(config?: ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  }
}

/** Opens connections on demand. Callers must not set session state on them. */
export function openClientPool(session: Session, connections: number, pooling: Pooling = {}) {
  const timeout = session.statementTimeoutMs;
  const pool = new Pool({
    ...clientConfig(session),
    Client: PoolConnection,
    max: connections,
    ...pooling,
    ...(timeout === undefined ? {} : { query_timeout: timeout + GRACE_MS }),
  });
  pool.on('error', () => undefined);

  /** Throws the mapped error of the work, or `DatabaseUnavailable` when there is no connection. */
  async function run<Result>(work: (held: HeldClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect().catch((error: unknown) => {
      throw mapError(error);
    });
    const held: HeldClient = { client, isBroken: false };
    const lost = (): void => void (held.isBroken = true);
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
  }

  const transaction: Transactor['transaction'] = (work) =>
    run(async (held) => {
      try {
        await held.client.query('begin');
        const result = await work({ execute: (statement) => execute(held.client, statement) });
        await held.client.query('commit');
        return result;
      } catch (error) {
        held.isBroken ||= isUseless(error);
        if (!held.isBroken) await held.client.query('rollback').catch(() => (held.isBroken = true));
        throw error;
      }
    });

  return {
    run,
    transaction,
    /** The deadline covers the wait for a connection. */
    many: async <Row>({ sql, values, parser }: TypedQuery<Row>): Promise<readonly Row[]> => {
      const tooLate = Promise.withResolvers<never>();
      const late = (): void => tooLate.reject(new DeadlineExceeded('the database did not answer by the deadline'));
      const timer = timeout === undefined ? undefined : setTimeout(late, timeout + GRACE_MS);
      // slonik names the parameters of a token so, for its own driver.
      const statement = { text: sql.replaceAll('$slonik_', '$'), values: [...values], types: typed };
      try {
        const { rows } = await Promise.race([run(({ client }) => client.query<Record<string, unknown>>(statement)), tooLate.promise]);
        return rows.map((row) => {
          const { data, error } = parser.safeParse(row);
          if (error !== undefined) throw new TypeError(`a row does not match the schema of its query: ${error.message}`);
          return data;
        });
      } finally {
        clearTimeout(timer);
      }
    },
    use: () => ({ open: pool.totalCount, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    close: async () => await pool.end(),
  };
}

/** True for an error after which nothing more may be sent on the connection. */
const isUseless = (error: unknown): boolean => isConnectionLoss(error) || isReadTimeout(error);

const CANCEL_AGAIN_MS = 50;
const CANCEL_TIMEOUT_MS = 5_000;
export type CancellableReads = ReturnType<typeof openCancellableReads>;

/** Reads that PostgreSQL ends when their signal aborts, each on its own connection, so that a cancel reaches no other statement. */
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
      const cancel = (): void => void (cancelled = cancelUntil(ended.signal, held));
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return (await execute(held.client, statement)).rows;
      } finally {
        signal.removeEventListener('abort', cancel);
        ended.abort();
        await cancelled;
      }
    });
  return { run, use: pool.use, close: async () => void (await Promise.all([pool.close(), canceller.close()])) };
}
