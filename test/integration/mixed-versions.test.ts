import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS_FOLDER } from '../../infra/postgresql/connection/schema-state.ts';
import { recordHistory } from '../../projections/record-history/projection.ts';
import { PROJECTIONS } from '../../src/app/composition.ts';
import type { GenerationStore } from '../../domain/ports/generations.ts';
import { type AdmissionBench, openAdmissionBench } from '../support/admission.ts';
import { openTestCivic, type TestCivic, untilTrue } from '../support/civic.ts';
import { randomChanges, randomFrom, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { checkWholeFeed } from '../support/whole-feed.ts';

let bench: AdmissionBench;
let installation: Installation;
let service: Service;
let database: TestDatabase;
let civic: TestCivic;

beforeAll(async () => {
  bench = await openAdmissionBench(Date.now(), PROJECTIONS);
  installation = makeInstallation('civic-mixed-', { DATABASE_URL: bench.civic.url });
  service = await installation.start({ role: 'api' });
  database = await startTestDatabase();
  civic = await openTestCivic(database.url);
});
afterAll(async () => {
  await service?.stop();
  await installation?.close();
  await bench?.close();
  await civic?.close();
  await database?.close();
});

test('a process that was started before a migration serves reads, snapshots and writes after it', async () => {
  const { key } = await bench.open();
  await bench.caughtUp();
  const readAll = async () => {
    const answers = [
      await service.fetch('/api/v1/data/changes?limit=5', { key }),
      await service.fetch('/api/v1/data/snapshots', { key, method: 'POST' }),
      await service.fetch('/api/v1/data/health', { key }),
      await service.fetch('/api/v1/public/source-status'),
    ];
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    return answers.map(({ status }) => status);
  };
  expect(await readAll()).toEqual([200, 201, 200, 200]);
  const tables = await bench.civic.rows(
    `select format('%I.%I', schemaname, tablename) from pg_tables where schemaname = 'civic' and tablename <> 'migrations'`,
  );
  expect(tables.length).toBeGreaterThan(15);
  for (const [table] of tables)
    await bench.civic.rows(`alter table ${table} add column added_later text not null default 'new'`);
  await bench.civic.rows('create table civic.added_later (id int primary key)');
  await bench.civic.rows(`insert into civic.migrations (name, run_on) values ('9999-adds', '2030-01-01')`);
  expect(await readAll()).toEqual([200, 201, 200, 200]);
  await bench.civic.writer.write([upsert('topics', 1, 1)], {});
  await bench.civic.caughtUp();
  expect(await readAll()).toEqual([200, 201, 200, 200]);
  const refused = await installation.civic(['accounts', 'list']);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/newer version/) as unknown]);
});

/** Its release needs all processes stopped: two owners of one reactor would be worse than a reactor that stops. */
const STOPPED_FOR = ['0023-processors.sql', '0024-column-names.sql'];

test('no migration removes or changes what older processes use', () => {
  const taking = /\bdrop (table|column|view|schema)\b|\brename\b|\balter column \w+ (type|set not null)\b/i;
  for (const name of readdirSync(MIGRATIONS_FOLDER).filter((file) => !STOPPED_FOR.includes(file))) {
    const sql = readFileSync(join(MIGRATIONS_FOLDER, name), 'utf8').replaceAll(/--.*$/gm, '');
    expect([name, taking.exec(sql)?.[0] ?? null]).toEqual([name, null]);
  }
});

test('an older projector and a newer one fold only their own generations, and the feed has no gap', async () => {
  const random = randomFrom(testSeed());
  const newer = { ...recordHistory, version: recordHistory.version + 1 };
  const others = PROJECTIONS.filter(({ name }) => name !== recordHistory.name);
  await civic.rows(`create table civic.owners (id bigint generated always as identity, version int, owner text)`);
  await civic.rows(`create function civic.note_owner() returns trigger language plpgsql as $$ begin
    if new.owner is not null and new.projection = '${recordHistory.name}' then
      insert into civic.owners (version, owner) values (new.version, new.owner);
    end if;
    return new; end $$`);
  await civic.rows(
    `create trigger note_owner after update on civic.generations for each row execute function civic.note_owner()`,
  );
  const over = new AbortController();
  const write = () => civic.writer.write(randomChanges(random, 15, 30), {});
  let looks = 0;
  const generations: GenerationStore = {
    ...civic.generations,
    list: () => {
      looks += 1;
      return civic.generations.list();
    },
  };
  const old = civic.startProjector([recordHistory, ...others], { owner: 'old', generations });
  await write();
  await civic.caughtUp();
  const writing = (async () => {
    while (!over.signal.aborted) await write();
  })();
  const versionLive = async () =>
    (await civic.generations.list()).find(
      ({ projection, state }) => projection === recordHistory.name && state === 'live',
    )!.version;
  const first = civic.startProjector([newer, ...others], { owner: 'new' });
  await untilTrue('the newer version is live', async () => (await versionLive()) === newer.version);
  over.abort();
  await writing;
  await civic.caughtUp();
  // The older program alone does not fold the newer generation, even if there are events to fold.
  await first.stop();
  await write();
  const lookedBefore = looks;
  await untilTrue('the older one has looked for work and found it', async () => {
    old.nudge();
    return (
      looks > lookedBefore + 5 && (await civic.progress.waitFor(others[0]!.name, await civic.log.head(), Date.now()))
    );
  });
  const behind = (await civic.generations.list()).find(
    ({ projection, state }) => projection === recordHistory.name && state === 'live',
  )!;
  expect([behind.owner, behind.checkpoint < (await civic.log.head())]).toEqual([null, true]);
  civic.startProjector([newer, ...others], { owner: 'new' });
  await civic.caughtUp();
  await checkWholeFeed(civic);
  const owned = await civic.rows('select distinct version, owner from civic.owners order by 1, 2');
  expect(owned).toEqual([
    [String(recordHistory.version), 'old'],
    [String(newer.version), 'new'],
  ]);
});
