import { Client } from 'pg';
import { createDriverFactory, createPool, type Interceptor, type QuerySqlToken } from 'slonik';
import type { TypedQuery } from '../../../domain/ports/database.ts';
import { GRACE_MS } from './client-pool.ts';
import { mapError } from './errors.ts';
import { clientConfig, type Session } from './sessions.ts';
import { withinDeadline } from './within-deadline.ts';

const IDLE_MS = 60_000;

/** Creates a driver with the session settings and TLS options of all other connections. */
const driverOf = (session: Session, queryTimeoutMs: number) =>
  createDriverFactory(async () => ({
    async createPoolClient({ clientEventEmitter }) {
      const client = new Client({ ...clientConfig(session), query_timeout: queryTimeoutMs });
      client.on('error', (error) => clientEventEmitter.emit('error', error));
      return {
        connect: async () => void (await client.connect()),
        end: () => client.end(),
        async query(text, values = []) {
          const { command, fields, rowCount, rows } = await client.query<Record<string, unknown>>(text, values);
          const columns = fields.map(({ name, dataTypeID }) => ({ name, dataTypeId: dataTypeID }));
          return { command: command as 'SELECT', fields: columns, rowCount, rows };
        },
        stream() {
          throw new Error('typed reads are not streamed');
        },
      };
    },
  }));

/** Replaces each row by the output of the query's schema. */
const checkRows: Interceptor = {
  name: 'check rows',
  transformRow({ resultParser }, _query, row) {
    if (resultParser === undefined) return row;
    const { data, error } = (resultParser as TypedQuery<typeof row>['parser']).safeParse(row);
    if (error !== undefined) throw new TypeError(`a row does not match the schema of its query: ${error.message}`);
    return data;
  },
};

/** Opens a slonik pool for reads that are not hot. Connects on demand, and closes a connection after an error. */
export async function openTypedReads(session: Session & { readonly statementTimeoutMs: number }, connections: number) {
  const deadlineMs = session.statementTimeoutMs + GRACE_MS;
  const pool = await createPool(session.dsn, {
    driverFactory: driverOf(session, deadlineMs),
    interceptors: [checkRows],
    maxPoolSize: connections,
    idleTimeout: IDLE_MS,
    connectionRetryLimit: 0,
    queryRetryLimit: 0,
    // These connections have no state to reset, and the default, `DISCARD ALL`, costs a round trip per query.
    resetConnection: async () => undefined,
  });
  return {
    /** Runs a query. The deadline includes the wait for a connection. */
    many: <Row>(query: TypedQuery<Row>): Promise<readonly Row[]> =>
      withinDeadline(deadlineMs, async () => {
        try {
          // A `TypedQuery` is a token of slonik whose type does not name slonik.
          return (await pool.any(query as unknown as QuerySqlToken)) as readonly Row[];
        } catch (error) {
          throw mapError(error);
        }
      }),
    use: () => {
      const { acquiredConnections, idleConnections, waitingClients } = pool.state();
      return { open: acquiredConnections + idleConnections, busy: acquiredConnections, waiting: waitingClients };
    },
    close: () => pool.end(),
  };
}
