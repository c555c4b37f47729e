import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startTestDatabase } from '../support/embedded-database.ts';

test('two test databases of one run share no data', async () => {
  const [one, two] = [await startTestDatabase(), await startTestDatabase()];
  const [first, second] = [new Client(one.url), new Client(two.url)];
  await Promise.all([first.connect(), second.connect()]);
  await first.query('create table seen_by_one (id int)');
  const { rows } = await second.query<{ found: string | null }>(`select to_regclass('seen_by_one') as found`);
  expect(rows[0]?.found).toBeNull();
  await Promise.all([first.end(), second.end()]);
  await Promise.all([one.close(), two.close()]);
});

test('a closed test database is removed, also with an open connection', async () => {
  const database = await startTestDatabase();
  const client = new Client(database.url);
  client.on('error', () => undefined);
  await client.connect();
  await database.close();
  await expect(new Client(database.url).connect()).rejects.toThrow(/does not exist/);
});
