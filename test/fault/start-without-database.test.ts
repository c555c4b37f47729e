import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type Installation, makeInstallation } from '../support/service.ts';
import { openTcpProxy, serverAt, type TcpProxy, urlThrough } from '../support/tcp-proxy.ts';

/** Long enough to cut the connection between two statements of the start. */
const CHUNK_MS = 15;

let database: TestDatabase;
let proxy: TcpProxy;
let installation: Installation;

beforeAll(async () => {
  database = await startTestDatabase();
  proxy = await openTcpProxy(() => serverAt(database.url));
  installation = makeInstallation('civic-start-away-', { DATABASE_URL: urlThrough(proxy, database.url) });
});
afterAll(async () => {
  await installation?.close();
  await proxy?.goDown();
  await database?.close();
});

test('a start continues once a database that was lost after the listeners opened is back', async () => {
  proxy.slow(CHUNK_MS);
  const starting = installation.launch({ sample: 'on' });
  let output = '';
  const until = async (text: string): Promise<void> =>
    await new Promise((resolve, reject) => {
      const look = (): void => void (output.includes(text) && resolve());
      starting.child.stderr?.on('data', (part: string) => {
        output += part;
        look();
      });
      starting.ready.catch(reject);
      look();
    });
  await until('seeding the event log');
  await proxy.goDown();
  await until('a store is unavailable; the start continues when it is back');
  expect(output).toContain('the database could not be reached, or went away: ');
  await proxy.comeBack();
  proxy.slow(0);
  const service = await starting.ready;
  expect((await service.fetch('/api/v1/data/changes?limit=1')).status).toBe(200);
  expect((await service.stop()).exitCode).toBe(0);
});
