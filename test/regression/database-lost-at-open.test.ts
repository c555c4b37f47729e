import { setTimeout as after } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { openTcpProxy, serverAt, urlThrough } from '../support/tcp-proxy.ts';

const OPENINGS = 60;

test('a connection lost while the database is opened rejects the opening and does not end the process', async () => {
  const database = await startTestDatabase();
  const proxy = await openTcpProxy(() => serverAt(database.url));
  const uncaught: unknown[] = [];
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  onTestFinished(async () => {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
    await proxy.goDown();
    await database.close();
  });
  for (let opening = 0; opening < OPENINGS; opening += 1) {
    const failure = openDatabase({ dsn: urlThrough(proxy, database.url), statementTimeoutMs: 5_000 }).then(
      (opened) => opened.close().then(() => null),
      (error: unknown) => error,
    );
    await after(opening % 20);
    proxy.cut();
    expect([null, 'DatabaseUnavailable']).toContain(((await failure) as Error | null)?.name ?? null);
  }
  await after(50);
  expect(uncaught).toEqual([]);
});
