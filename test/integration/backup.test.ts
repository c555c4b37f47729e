import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import type { RecordChange } from '../../commands/records/write-records.ts';
import { migrate } from '../../infra/postgresql/connection/schema-state.ts';
import { randomChanges, randomFrom, upsert } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { untilTrue } from '../support/civic.ts';
import { startEmptyDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { readFeed } from '../support/feed-reader.ts';
import { startKurrentPeer } from '../support/kurrent-peer.ts';
import { readModelsOf } from '../support/restored-read-models.ts';
import { type Environment, type Installation, makeInstallation, type Service } from '../support/service.ts';

/** A service with its own database, its backups, and the restored databases. */
let installation: Installation;
let service: Service;
let key: string;
let original: Environment;
const databases: TestDatabase[] = [];
const random = randomFrom(testSeed());

interface BackupOutput {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

async function newDatabase(): Promise<Environment> {
  const database = await startEmptyDatabase();
  databases.push(database);
  return { DATABASE_URL: database.url };
}
const path = (name: string): string => join(installation.folder, name);
async function civic(args: readonly string[], env: Environment): Promise<BackupOutput> {
  const { exitCode, stdout, stderr } = await installation.civicHere([...args, '--json'], { env });
  return { exitCode, stderr, answer: exitCode === 0 ? (JSON.parse(stdout) as BackupOutput['answer']) : {} };
}
const linesOf = (changes: readonly RecordChange[]): string =>
  changes
    .map(
      ({ op, resource, id, ...rest }) =>
        `${JSON.stringify({ op, resource, id, ...('content' in rest ? { data: rest.content } : {}) })}\n`,
    )
    .join('');
async function importing(changes: readonly RecordChange[]): Promise<void> {
  const { exitCode, stderr } = await installation.civicHere(['records', 'import', '-'], {
    input: linesOf(changes),
    env: original,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}
async function rowsIn<Row extends object>({ DATABASE_URL }: Environment, statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: DATABASE_URL! });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
const eventsIn = async (env: Environment): Promise<number> =>
  Number((await rowsIn<{ n: string }>(env, 'select count(*) as n from civic.events').catch(() => []))[0]?.n ?? 0);
const INLET_PLACES = 'select * from civic.inlet_parts order by topic, partition';

beforeAll(async () => {
  installation = makeInstallation('civic-backup-');
  original = await newDatabase();
  service = await installation.start({ sample: 'on', env: original });
  key = service.key!;
  await importing(randomChanges(random, 500, 150));
  await service.fetch('/api/v1/data/snapshots', { method: 'POST', key });
  await service.fetch('/api/v1/data/subscriptions', { method: 'POST', key, body: '{"name":"a feed"}' });
});

afterAll(async () => {
  await service.stop();
  await installation.close();
  for (const database of databases) await database.close();
});

test('a backup of a running service is a prefix of its log, and a restore of it serves that prefix', async () => {
  const writing = importing(Array.from({ length: 300 }, (_, nth) => upsert('documents', 10_000 + nth, nth)));
  const backed = await civic(['backup', '--to', path('busy.gz')], original);
  await writing;
  expect(backed).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await civic(['backup', 'verify', path('busy.gz')], {})).toMatchObject({
    exitCode: 0,
    answer: { events: backed.answer['events'], backupId: backed.answer['backupId'], head: backed.answer['head'] },
  });
  const target = await newDatabase();
  expect(await civic(['restore', '--yes', path('busy.gz')], target)).toMatchObject({ exitCode: 0 });
  const restored = await installation.start({ env: target });
  const changes = async (from: Service) =>
    (await readFeed(from, key, 500)).flatMap(({ data }) => data.items).map((item) => ({ ...item, cursor: null }));
  const [there, here] = [await changes(restored), await changes(service)];
  await restored.stop();
  expect(there.length).toBeGreaterThan(500);
  expect(there).toEqual(here.slice(0, there.length));
});

nightlyTest(
  'the age of the newest backup that was verified with --record is a metric of its own service alone',
  async () => {
    const age = async (from: Service) => {
      const age = /^civic_backup_age_seconds (\S+)$/m.exec(await (await fetch(`${from.opsUrl}/metrics`)).text())?.[1];
      return age === undefined ? null : Number(age);
    };
    expect(await civic(['backup', '--to', path('recorded.gz')], original)).toMatchObject({ exitCode: 0 });
    expect(await civic(['backup', 'verify', path('recorded.gz')], original)).toMatchObject({ exitCode: 0 });
    expect(await age(service)).toBeNull();
    expect(await civic(['backup', 'verify', path('recorded.gz'), '--record'], original)).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
    await untilTrue('the age is a metric', async () => (await age(service)) !== null);
    const recorded = (await age(service))!;
    expect(recorded).toBeLessThan(600);
    // An older one changes nothing.
    expect(await civic(['backup', 'verify', path('busy.gz'), '--record'], original)).toMatchObject({ exitCode: 0 });
    expect(await age(service)).toBeLessThan(recorded + 600);

    const other = await newDatabase();
    const stranger = await installation.start({ env: other });
    const { exitCode, stderr } = await civic(['backup', 'verify', path('recorded.gz'), '--record'], other);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('another log')]);
    expect(await age(stranger)).toBeNull();
    await stranger.stop();
  },
);

nightlyTest('every read model is restored row by row, from PostgreSQL to KurrentDB and back', async () => {
  await service.stop();
  await rowsIn(
    original,
    `insert into civic.inlet_parts (topic, partition, token, next_offset, command_id, claim_to, revisions)
      values ('changes', 0, 3, 9007199254740993, null, null, '{}'), ('changes', 10, 1, 7, '0b7e2a44-5c0e-4a43-9d27-6f0f2f4f7a11', 9, '{"topics-x":4}')`,
  );
  expect(await civic(['backup', '--to', path('')], original)).toMatchObject({ exitCode: 0, stderr: '' });
  const file = path(
    readdirSync(installation.folder).find((name) => /^civic-\d{8}T\d{6}Z-[0-9a-f]{8}\.backup\.gz$/.test(name))!,
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const peer = await startKurrentPeer();
  try {
    const onKurrent = { ...(await newDatabase()), EVENTSTORE_URL: peer.url };
    const back = await newDatabase();
    const first = await civic(['restore', '--yes', file], onKurrent);
    expect(first).toMatchObject({ exitCode: 0, answer: { keys: 1, revokedKeys: false, found: 0 } });
    expect(first.stderr).toMatch(
      /^warning: 1 keys work as they did at [^\n]+\nwarning: changes acknowledged after [^\n]+ are lost[^\n]+\n$/,
    );
    expect(await civic(['backup', '--to', path('again.gz')], onKurrent)).toMatchObject({
      exitCode: 0,
      answer: { feedId: first.answer['feedId'] },
    });
    const second = await civic(['restore', '--yes', path('again.gz')], back);
    expect(second).toMatchObject({ exitCode: 0, answer: { previousFeedId: first.answer['feedId'] } });
    expect(new Set([first, second].map(({ answer }) => answer['feedId'])).size).toBe(2);
    const models = await readModelsOf(original);
    expect(Object.keys(models)).toContain('record_history');
    expect(await readModelsOf(onKurrent)).toEqual(models);
    expect(await readModelsOf(back)).toEqual(models);
    const places = await rowsIn(original, INLET_PLACES);
    expect(places).toHaveLength(2);
    expect(await rowsIn(onKurrent, INLET_PLACES)).toEqual(places);
    expect(await rowsIn(back, INLET_PLACES)).toEqual(places);
  } finally {
    await peer.stop();
    service = await installation.start({ env: original });
  }
});

test('a restore that is killed repeatedly is never served, and only its own file completes it', async () => {
  const target = await newDatabase();
  for (const least of [1, 500]) {
    const running = installation.run(['restore', '--yes', path('busy.gz')], { env: target });
    await untilTrue(`${least} events are restored`, async () => (await eventsIn(target)) >= least);
    running.kill('SIGKILL');
    await running.ended;
    const refused = await installation.civicHere(['serve'], { env: { ...target, CIVIC_OPS_PORT: 'off' } });
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^civic: a restore of the backup [0-9a-f-]{36} \(\d+ events\) into this log has not ended: run `civic restore FILE`[^\n]+\n$/,
    );
  }
  expect(await civic(['backup', '--to', path('other.gz')], original)).toMatchObject({ exitCode: 0 });
  const wrong = [
    [['restore', '--yes', path('other.gz')], /a restore of another file was begun here/],
    [['restore', '--yes', path('busy.gz'), '--revoke-keys'], /begun with neither --as-copy nor --revoke-keys/],
    [['backup', '--to', path('half.gz')], /has not ended/],
  ] as const;
  for (const [args, reason] of wrong) {
    const { exitCode, stderr } = await installation.civicHere(args, { env: target });
    expect({ args, exitCode, stderr }).toEqual({ args, exitCode: 1, stderr: expect.stringMatching(reason) as string });
  }
  const { answer, exitCode } = await civic(['restore', '--yes', path('busy.gz')], target);
  expect({ exitCode, found: (answer['found'] as number) >= 500 }).toEqual({ exitCode: 0, found: true });
  expect(await eventsIn(target)).toBe(answer['events']);
  expect((await installation.civicHere(['projections', 'verify', '--all'], { env: target })).exitCode).toBe(0);
  expect((await installation.civicHere(['restore', '--yes', path('busy.gz')], { env: target })).stderr).toMatch(
    /this backup has been restored here already/,
  );
});

nightlyTest('a restore into a database that another fills is refused and leaves the first undisturbed', async () => {
  const together = await newDatabase();
  const restore = (target: Environment) => civic(['restore', '--yes', path('busy.gz')], target);
  const both = (await Promise.all([restore(together), restore(together)])).toSorted(
    (a, b) => a.exitCode! - b.exitCode!,
  );
  expect(both).toMatchObject([
    { exitCode: 0 },
    {
      exitCode: 1,
      stderr: expect.stringMatching(/another process fills this database|has been restored here already/) as string,
    },
  ]);
  expect(await eventsIn(together)).toBe(both[0]!.answer['events']);

  const target = await newDatabase();
  const first = installation.run(['restore', '--yes', path('busy.gz')], { env: target });
  await untilTrue('an event is restored', async () => (await eventsIn(target)) >= 1);
  first.kill('SIGSTOP');
  const { exitCode, stderr } = await restore(target);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^civic: another process fills this database, a restore or [^\n]+\n$/),
  ]);
  first.kill('SIGCONT');
  expect(await first.ended).toMatchObject({ exitCode: 0 });
  expect(await eventsIn(target)).toBe(both[0]!.answer['events']);
});

test('a backup that is killed leaves no file of its name, and an existing file is not replaced', async () => {
  const running = installation.run(['backup', '--to', path('killed.gz')], { env: original });
  await untilTrue('it writes', () =>
    readdirSync(installation.folder).some((name) => /^\.killed\.gz\..*\.partial$/.test(name)),
  );
  running.kill('SIGKILL');
  await running.ended;
  expect(readdirSync(installation.folder)).not.toContain('killed.gz');
  writeFileSync(path('taken.gz'), 'mine');
  expect((await civic(['backup', '--to', path('taken.gz')], original)).stderr).toMatch(
    /taken\.gz is there already: give another name, or --replace/,
  );
  expect(statSync(path('taken.gz')).size).toBe(4);
  expect(await civic(['backup', '--to', path('taken.gz'), '--replace'], original)).toMatchObject({ exitCode: 0 });
  expect(await civic(['backup', 'verify', path('taken.gz')], {})).toMatchObject({ exitCode: 0 });
  expect((await civic(['backup', '--to', path('no/such/folder.gz')], original)).stderr).toMatch(
    /cannot be written: ENOENT/,
  );
  expect((await civic(['backup', '--to', path('absent-folder/')], original)).stderr).toMatch(
    /absent-folder\/ is no folder: make it first\n$/,
  );
  expect(existsSync(path('absent-folder'))).toBe(false);
  expect(readdirSync(installation.folder).filter((name) => name.startsWith('.taken'))).toEqual([]);
});

nightlyTest(
  'a backup replaces the regular file to which a symbolic link leads, and nothing that is no regular file',
  async () => {
    writeFileSync(path('real.gz'), 'mine');
    execFileSync('mkfifo', [path('pipe')]);
    symlinkSync('real.gz', path('to-file'));
    symlinkSync('pipe', path('to-pipe'));
    symlinkSync('nothing', path('to-nothing'));
    const names = ['pipe', 'to-pipe', 'to-nothing'];
    const states = () => ['to-file', ...names].map((name) => lstatSync(path(name)).ino);
    const before = states();
    for (const name of names) {
      for (const more of [[], ['--replace']]) {
        const { exitCode, stderr } = await civic(['backup', '--to', path(name), ...more], original);
        expect({ exitCode, stderr }).toEqual({
          exitCode: 1,
          stderr: `civic: ${path(name)} is no regular file: give another name, or - for standard output\n`,
        });
      }
    }
    expect(await civic(['backup', '--to', path('to-file'), '--replace'], original)).toMatchObject({
      answer: { file: realpathSync(path('real.gz')) },
    });
    expect(await civic(['backup', 'verify', path('real.gz')], {})).toMatchObject({ exitCode: 0 });
    expect(states()).toEqual(before);
  },
);

nightlyTest('a used log, read models of another log and a damaged file are refused before a write', async () => {
  const before = await eventsIn(original);
  for (const yes of [['--yes'], []]) {
    expect((await civic(['restore', path('busy.gz'), ...yes], original)).stderr).toMatch(
      /the log is not empty, it begins with FeedOpened: give an empty database/,
    );
  }
  expect(await eventsIn(original)).toBe(before);
  const peer = await startKurrentPeer();
  try {
    const { stderr } = await civic(['restore', '--yes', path('busy.gz')], { ...original, EVENTSTORE_URL: peer.url });
    expect(stderr).toMatch(/the database contains read models of a log although the log is empty/);
    expect(peer.store.records.filter(({ type }) => !type.startsWith('$'))).toEqual([]);
  } finally {
    await peer.stop();
  }
  const target = await newDatabase();
  writeFileSync(path('damaged.gz'), 'damaged');
  expect((await civic(['restore', '--yes', path('damaged.gz')], target)).stderr).toMatch(
    /^civic: \S+damaged\.gz: this is no backup of this program\n$/,
  );
  expect(await civic(['restore', '--yes', path('busy.gz')], target)).toMatchObject({ exitCode: 0 });
});

nightlyTest(
  'a command that reads is refused where there is no service, and a restore fills what it has looked at',
  async () => {
    const target = await newDatabase();
    const folder = { CIVIC_DATA_DIR: path('absent'), DATABASE_URL: '' };
    const read = [
      ['backup', '--to', path('taken.gz'), '--replace'],
      ['accounts', 'list'],
      ['accounts', 'suspend', '--account', randomUUID()],
      ['keys', 'issue', '--account', randomUUID(), '--scope', 'civic:read'],
      ['sample', 'remove', '--yes'],
      ['projections', 'list'],
      ['projections', 'verify', '--all'],
    ];
    const before = statSync(path('taken.gz')).ino;
    for (const args of [
      ...read,
      ['erase', 'find', 'x'],
      ['feed', 'keep'],
      ['backup', 'verify', path('busy.gz'), '--record'],
    ]) {
      for (const env of [target, folder]) {
        const { exitCode, stderr } = await civic(args, env);
        expect([exitCode, stderr]).toEqual([
          1,
          expect.stringMatching(/^civic: there is no service here yet: .*; start one with `civic serve` or/),
        ]);
      }
    }
    expect(existsSync(path('absent'))).toBe(false);
    expect(statSync(path('taken.gz')).ino).toBe(before);
    expect(await rowsIn(target, `select from pg_namespace where nspname = 'civic'`)).toEqual([]);
    await migrate(target['DATABASE_URL']!);
    expect((await civic(['accounts', 'list'], target)).stderr).toMatch(
      /^civic: there is no service here yet: the log is empty; start one/,
    );
    expect(await civic(['restore', '--yes', path('busy.gz')], target)).toMatchObject({ exitCode: 0 });
  },
);

nightlyTest('a read-only database is backed up, and takes no change', async () => {
  const url = new URL(original['DATABASE_URL']!);
  url.searchParams.set('options', '-c default_transaction_read_only=on');
  const env = { DATABASE_URL: url.toString() };
  expect(await civic(['backup', '--to', path('read-only.gz')], env)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await civic(['backup', 'verify', path('read-only.gz')], {})).toMatchObject({ exitCode: 0 });
  const { exitCode, stderr } = await civic(['accounts', 'open', '--name', 'Acme'], env);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is read-only')]);
});

nightlyTest('a backup does not replace one of another log', async () => {
  const target = await newDatabase();
  expect(await civic(['accounts', 'open', '--name', 'Another'], target)).toMatchObject({ exitCode: 0 });
  const { exitCode, stderr } = await civic(['backup', '--to', path('busy.gz'), '--replace'], target);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/busy\.gz is a backup of another log, made at .*: choose another name, or remove it first/),
  ]);
  expect(await civic(['backup', '--to', path('busy.gz'), '--replace'], original)).toMatchObject({ exitCode: 0 });
  const lines = gunzipSync(readFileSync(path('busy.gz'))).toString();
  writeFileSync(path('later.gz'), gzipSync(lines.replace('"civicBackup":1', '"civicBackup":2')));
  const later = await civic(['backup', '--to', path('later.gz'), '--replace'], original);
  expect([later.exitCode, later.stderr]).toEqual([
    1,
    expect.stringMatching(/later\.gz: it is of format 2.*remove it first/),
  ]);
});

nightlyTest('a backup to standard output refuses --json, and a restore as a copy revokes all keys', async () => {
  const shell = installation.run(['backup', '--to', '-', '--json'], { env: original });
  expect((await shell.ended).stderr).toMatch(/cannot both go to standard output/);
  const target = await newDatabase();
  const { answer, stderr } = await civic(['restore', '--yes', path('busy.gz'), '--as-copy'], target);
  expect(answer).toMatchObject({ revokedKeys: true, asCopy: true, keys: 1 });
  expect(stderr).toMatch(/all 1 keys are revoked/);
  const copy = await installation.start({ env: target });
  expect((await copy.fetch('/api/v1/data/changes', { key })).status).toBe(401);
  await copy.stop();
});
