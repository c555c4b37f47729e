import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilTrue } from '../support/civic.ts';
import { recordId } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type Installation, makeInstallation } from '../support/service.ts';
import { tablesWith, wholeDatabase } from '../support/whole-database.ts';

const NAME = 'Zebulona';
const ID = recordId('documents', 1);
const STREAM = `documents-${ID}`;
const ERASE = [
  'erase',
  'record',
  ID,
  '--text',
  NAME,
  '--with',
  '[removed]',
  '--reason',
  'personal_data',
  '--no-vacuum',
  '--yes',
  '--json',
];

let database: TestDatabase;
let installation: Installation;
/** Locks what a step needs, so that the step waits. */
let holder: Client;
let watch: Client;

beforeAll(async () => {
  database = await startTestDatabase();
  installation = makeInstallation('civic-erasure-kill-', { DATABASE_URL: database.url });
  [holder, watch] = [new Client(database.url), new Client(database.url)];
  await Promise.all([holder.connect(), watch.connect()]);
});
afterAll(async () => {
  await installation?.close();
  await Promise.all([holder?.end(), watch?.end()]);
  await database?.close();
});

async function json<Value>(args: readonly string[], input?: string): Promise<Value> {
  const { exitCode, stdout, stderr } = await installation.civicHere(args, input === undefined ? {} : { input });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return JSON.parse(stdout) as Value;
}
const version = (title: string): string =>
  JSON.stringify({
    ...{ op: 'upsert', resource: 'documents', id: ID },
    data: { meetingId: null, agendaItemId: null, kind: 'other', title, url: 'https://example.org/d' },
  });
async function hold(statement: string): Promise<void> {
  await holder.query('begin');
  await holder.query(statement);
}
const release = () => holder.query('rollback');
/** Backends that wait for the lock. */
async function readLocked(): Promise<readonly number[]> {
  const { processID } = holder as unknown as { readonly processID: number };
  const { rows } = await watch.query<{ pid: number }>(
    'select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
    [processID],
  );
  return rows.map(({ pid }) => pid);
}
const count = async (type: string): Promise<number> =>
  (
    await watch.query('select from civic.events where type = $1 and stream in ($2, $3)', [
      type,
      STREAM,
      'erasures-civic',
    ])
  ).rowCount!;
const tables = async () => tablesWith(await wholeDatabase(database.url), NAME);

test('an erasure with command, projector and worker killed at its steps is complete after the next start', async () => {
  let service = await installation.start();
  await json(['records', 'import', '-', '--json'], `${version(`of ${NAME}`)}\n${version(`${NAME} again`)}\n`);

  // Kills the command after the replacing change and before the erasure.
  await hold(`select from civic.events where stream = '${STREAM}' and revision = 0 for update`);
  let erasing = installation.run(ERASE);
  await untilTrue('the erasure is held', async () => (await readLocked()).length > 0);
  erasing.kill('SIGKILL');
  await erasing.ended;
  // The server detects by keepalives that the client has ended.
  for (const pid of await readLocked()) await watch.query('select pg_terminate_backend($1)', [pid]);
  await untilTrue('it has let go', async () => (await readLocked()).length === 0);
  await release();
  expect([await count('RecordPublished'), await count('ContentErased')]).toEqual([3, 0]);

  // The command and the projector, after the erasure and before any read model has folded it.
  await hold('lock table civic.erased_versions in exclusive mode');
  erasing = installation.run(ERASE);
  await untilTrue(
    'the fold is held',
    async () => (await count('ContentErased')) === 1 && (await readLocked()).length > 0,
  );
  erasing.kill('SIGKILL');
  await Promise.all([erasing.ended, service.kill9()]);
  // Simulates a running command that stores what it read before the erasure.
  await watch.query(
    `insert into civic.decider_checkpoints values ($1, 'other', 1, 0, gen_random_uuid(), $2, 'sealed')`,
    [STREAM, NAME],
  );
  for (const pid of await readLocked()) await watch.query('select pg_terminate_backend($1)', [pid]);
  expect((await tables()).length).toBeGreaterThan(1);
  await release();

  // The worker, before it drops what no read model contains.
  await hold('select from civic.erasure_mark for update');
  service = await installation.start();
  await untilTrue('the worker is held', async () => (await readLocked()).length > 0);
  expect(await tables()).toEqual(['civic.decider_checkpoints']);
  await service.kill9();
  for (const pid of await readLocked()) await watch.query('select pg_terminate_backend($1)', [pid]);
  await release();

  service = await installation.start();
  await untilTrue('the text is nowhere', async () => (await tables()).length === 0);
  expect(await json(['erase', 'find', NAME, '--json'])).toEqual([]);
  const verified = await json<{ equal: boolean }[]>(['projections', 'verify', '--all', '--json']);
  expect(verified.length).toBeGreaterThan(3);
  expect(verified.filter(({ equal }) => !equal)).toEqual([]);
  expect([await count('RecordPublished'), await count('ContentErased')]).toEqual([3, 1]);
  await service.stop();
});
