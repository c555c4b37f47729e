import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { openStatementPool } from '../../infra/postgresql/connection/statement-pool.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { DeadlineExceeded } from '../../domain/ports/database.ts';
import { NO_STREAM, OutcomeUnknown } from '../../domain/ports/event-log.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { freshStream, newEvents } from '../support/event-log-builders.ts';
import { openTestCivic, type TestCivic } from '../support/civic.ts';
import { upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { openTcpProxy, serverAt, type TcpProxy, urlThrough } from '../support/tcp-proxy.ts';

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

/** Simulates a connection that a firewall dropped: bytes are lost, and neither end gets an error. */
test('a statement in a transaction that is never answered ends at its deadline', async () => {
  const silent = behind.transactor.transaction(async (transaction) => {
    proxy.halfOpen('far');
    await transaction.query({ text: 'select 1', values: [] });
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

test('statements to a silent server end at their deadline, and later ones are answered', async () => {
  const dsn = urlThrough(proxy, server.url);
  const connections = openStatementPool({ dsn, purpose: 'silent', statementTimeoutMs: 300 }, 2);
  const read = () => connections.query({ text: 'select 1 as n', values: [] });
  try {
    await read();
    proxy.stall();
    const waiting = await Promise.allSettled(Array.from({ length: 50 }, read));
    for (const each of waiting) expect(each).toMatchObject({ reason: expect.any(DeadlineExceeded) as unknown });
    proxy.flow();
    await expect.poll(() => read().catch(() => null)).toMatchObject({ rows: [{ n: 1 }] });
  } finally {
    proxy.flow();
    await connections.close();
  }
});

test('an append that is never answered has an unknown outcome', async () => {
  const log = openEventLog({ dsn: urlThrough(proxy, server.url), statementTimeoutMs: 300, lanes: 1 });
  const append = () => log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) });
  try {
    await expect.poll(() => append().catch(() => null)).toMatchObject({ kind: 'appended' });
    proxy.halfOpen('far');
    await expect(append()).rejects.toBeInstanceOf(OutcomeUnknown);
  } finally {
    await log.close();
  }
});

/**
 * Connections for appends run one statement at their start. Every append behind it waited forever when it had no
 * deadline.
 */
test('a connection whose first statement is never answered counts as a failed connection', async () => {
  const session = { dsn: server.url, purpose: 'silent', statementTimeoutMs: 60_000, onConnect: 'select pg_sleep(600)' };
  const connections = openStatementPool(session, 1);
  try {
    await expect(connections.query({ text: 'select 1', values: [] })).rejects.toBeInstanceOf(DeadlineExceeded);
    expect(connections.use().open).toBe(0);
  } finally {
    await connections.close();
  }
});
