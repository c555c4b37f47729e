import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from 'pg';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await startTestDatabase();
  client = new Client(database.url);
  await client.connect();
  const id = '00000000-0000-4000-8000-000000000001';
  await client.query(`select civic.append_one('topics-1', -1, '${id}', 'RecordPublished', 1, '{}', '{}', 0)`);
  await client.query(
    'create role append_only_app; grant all on schema civic to append_only_app; grant all on all tables in schema civic to append_only_app',
  );
});
afterAll(async () => {
  await client.query('reset role; drop owned by append_only_app; drop role append_only_app');
  await client.end();
  await database.close();
});

const events = async (): Promise<unknown> => (await client.query('select * from civic.events')).rows;

describe.each([
  ['the owner, a superuser', 'reset role; set session_replication_role = default'],
  ['a superuser who turned triggers off for replication', 'reset role; set session_replication_role = replica'],
  ['a role with every privilege', 'reset role; set session_replication_role = default; set role append_only_app'],
])('for %s', (_who, become) => {
  test.each([
    ['update', `update civic.events set type = 'Other'`],
    ['an update of no row', `update civic.events set type = 'Other' where false`],
    ['delete', 'delete from civic.events'],
    ['truncate', 'truncate civic.events'],
    ['merge', `merge into civic.events e using (values (1)) v(p) on e.position = v.p when matched then delete`],
  ])('%s of the log is refused and changes nothing', async (_what, statement) => {
    const before = await events();
    await client.query(become);
    await expect(client.query(statement)).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining('append-only') as string,
    });
    await client.query('reset role; set session_replication_role = default');
    expect(await events()).toEqual(before);
  });
});
