import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../infra/postgresql/open-database.ts';
import { PipelinedConnection } from '../../infra/postgresql/pipelined-connection.ts';
import { createGenerationStore } from '../../infra/postgresql/generations.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openTcpProxy, serverAt, type TcpProxy } from '../support/tcp-proxy.ts';

let server: TestDatabase;
let proxy: TcpProxy;
let civic: TestCivic;
let behind: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  server = await startTestDatabase();
  civic = await openTestCivic(server.url);
  proxy = await openTcpProxy(() => serverAt(server.url));
  const { username, password, pathname } = new URL(server.url);
  // One connection for all transactions: statements after the silence use a new one.
  behind = await openDatabase({
    dsn: `postgres://${username}:${password}@127.0.0.1:${proxy.port}${pathname}`,
    statementTimeoutMs: 20_000,
    foldTimeoutMs: 200,
    transactionConnections: 1,
  });
});
afterAll(async () => {
  proxy?.flow();
  await civic?.close();
  await behind?.close();
  await proxy?.goDown();
  await server?.close();
});

/** As on a connection that a firewall dropped: bytes sent on it are lost, and neither end gets an error. */
test('a statement in a transaction that is never answered ends at its deadline', async () => {
  const silent = behind.transactor.transaction(async (transaction) => {
    proxy.halfOpen('far');
    await transaction.execute({ text: 'select 1', values: [] });
  });
  await expect(silent).rejects.toBeInstanceOf(DeadlineExceeded);
});

test('a read model whose connection stops answering during one event is not paused and continues', async () => {
  let falls = 0;
  const projection = {
    ...recordHistory,
    fold: async (...[batch, context]: Parameters<typeof recordHistory.fold>) => {
      if (falls === 1) proxy.halfOpen('far');
      falls += 1;
      await recordHistory.fold(batch, context);
    },
  };
  const generations = createGenerationStore(behind.transactor);
  civic.startProjector([projection], { transactor: behind.transactor, generations, batchSize: 1 });
  await civic.caughtUp(undefined, [recordHistory.name]);
  await civic.writer.write([upsert('topics', 1, 1), upsert('topics', 2, 1)], {});
  await civic.caughtUp(undefined, [recordHistory.name]);
  expect(falls).toBeGreaterThan(3);
  expect(civic.logger.errors).toEqual([]);
});

/** Connections for appends run one statement at their start. Without a deadline on it, every append behind it waited for ever. */
test('a connection whose first statement is never answered counts as a failed connection', async () => {
  const connection = new PipelinedConnection({ dsn: server.url, purpose: 'silent', onConnect: 'select pg_sleep(600)' });
  try {
    await expect(connection.run({ text: 'select 1', values: [] })).rejects.toBeInstanceOf(DeadlineExceeded);
    expect(connection.connected).toBe(false);
  } finally {
    await connection.close();
  }
});
