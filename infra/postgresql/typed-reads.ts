import { createDriverFactory } from '@slonik/driver';
import { Client, types } from 'pg';
import { createPool, type Interceptor, type QueryResultRow, SchemaValidationError } from 'slonik';
import { DeadlineExceeded, type TypedQuery } from '../../domain/ports/database.ts';
import { mapError } from './errors.ts';
import { clientConfig, CONNECT_TIMEOUT_MS, type Session } from './sessions.ts';

const GRACE_MS = 1_000;
const IDLE_MS = 60_000;

const parserOf = ((oid: Parameters<typeof types.getTypeParser>[0]) =>
  oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)) as typeof types.getTypeParser;

/**
 * slonik's own driver looks up types on a connection without an error listener: a server that dies at that moment would end the process.
 * This driver needs no look-up and no round trip at the start.
 */
const driverOf = (session: Session) =>
  createDriverFactory(async () => ({
    createPoolClient: async ({ clientEventEmitter }) => {
      const client = new Client({ ...clientConfig(session), types: { getTypeParser: parserOf } });
      client.on('error', (error) => {
        if (clientEventEmitter.listenerCount('error') > 0) clientEventEmitter.emit('error', error);
      });
      return {
        connect: async () => void (await client.connect()),
        end: () => client.end(),
        async query(text, values = []) {
          const { command, fields, rowCount, rows } = await client.query<Record<string, unknown>>(text, values);
          return {
            command: command as 'SELECT',
            fields: fields.map(({ dataTypeID: dataTypeId, name }) => ({ dataTypeId, name })),
            rowCount,
            rows,
          };
        },
        stream: () => {
          throw new Error('typed reads are not streamed');
        },
      };
    },
  }));

/** Validates every row with the schema of its query; synchronously, since slonik takes a promise for the row. */
const validate: Interceptor = {
  name: 'validate-rows',
  transformRow: (context, query, row) => {
    const result = context.resultParser?.['~standard'].validate(row);
    if (result === undefined) return row;
    if (result instanceof Promise) throw new TypeError('the schema of a row must not be asynchronous');
    if (result.issues !== undefined) throw new SchemaValidationError(query, row, result.issues);
    return result.value as QueryResultRow;
  },
};

/** Typed rows through slonik; bigint becomes number. Callers must not set session state on these connections. */
export async function openTypedReads(session: Session, connections: number) {
  const timeout = session.statementTimeoutMs;
  const pool = await createPool(session.dsn, {
    driverFactory: driverOf(session),
    maxPoolSize: connections,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    connectionRetryLimit: 0,
    idleTimeout: IDLE_MS,
    resetConnection: async () => {},
    interceptors: [validate],
  }).catch((error: unknown) => {
    throw mapError(error);
  });
  pool.on('error', () => undefined);
  return {
    async many<Row>(query: TypedQuery<Row>): Promise<readonly Row[]> {
      let timer: NodeJS.Timeout | undefined;
      const overdue = new Promise<never>((_, reject) => {
        if (timeout === undefined) return;
        timer = setTimeout(() => reject(new DeadlineExceeded('the database did not answer by the deadline')), timeout + GRACE_MS);
      });
      try {
        return (await Promise.race([pool.any(query as unknown as Parameters<typeof pool.any>[0]), overdue])) as unknown as readonly Row[];
      } catch (error) {
        throw mapError(error);
      } finally {
        clearTimeout(timer);
      }
    },
    use: () => {
      const { acquiredConnections, idleConnections, waitingClients } = pool.state();
      return { open: acquiredConnections + idleConnections, busy: acquiredConnections, waiting: waitingClients };
    },
    close: async () => await pool.end(),
  };
}
