import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { makeRunDirectory, takeLock } from '../../infra/embedded-postgresql/run-directory.ts';
import {
  type EmbeddedUser,
  postmasterOf,
  processesOf,
  supervisorOf,
  type UserStart,
} from '../support/embedded-users.ts';
import { copyPreparedData } from '../support/prepared-data.ts';
import { untilTrue } from '../support/until-reached.ts';
import { makeInstallation } from '../support/service.ts';
import { restarted, useEmbeddedFolder } from '../support/embedded-folder.ts';
import { expectLocked, isRoot } from '../support/embedded-password.ts';
import { planLaunch, program } from '../../infra/embedded-postgresql/launch-plan.ts';
import { serverArguments } from '../../infra/embedded-postgresql/server-settings.ts';
import { makeTrustingCluster, NOBODY, uidOf } from '../support/trusting-cluster.ts';

const here = useEmbeddedFolder();
const why = 'needs root, to become other users';
const another = 'a'.repeat(43);

async function serviceOn(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly user: EmbeddedUser; readonly url: string }> {
  const user = here.start('service', { env });
  const { url, refused } = await user.next();
  if (url === undefined) throw new Error(refused);
  return { user, url };
}

/** A start finds the row of the old version and takes a connection with the stored password. */
async function expectWhole(): Promise<void> {
  const next = here.start();
  expect(await next.next()).toHaveProperty('url');
  expect(await next.ask('count')).toEqual({ count: 1 });
  expect(await next.ask('leave')).toEqual({ left: true });
}

function halfHandedOver(): void {
  if (process.getuid?.() !== 0) return;
  const { cluster } = dataLayout(here.dataDir);
  expect(statSync(cluster).uid).toBe(NOBODY);
  for (const name of readdirSync(cluster).filter((_name, nth) => nth % 2 === 0))
    chownSync(join(cluster, name), uidOf('postgres') ?? NOBODY, NOBODY);
}

const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

/** Starts, commits a row, stops, and reads the row again. */
async function worksTwice(start: Omit<UserStart, 'dataDir' | 'role'>): Promise<void> {
  for (const count of [1, 2]) {
    const user = here.start('service', { ...start });
    expect(await user.next()).toHaveProperty('url');
    expect(await user.ask('insert')).toEqual({ count });
    expect(await user.ask('leave')).toEqual({ left: true });
    expect(processesOf(here.dataDir)).toEqual([]);
  }
}

test('a service that starts right after another was killed is accepted', async () => {
  copyPreparedData(here.dataDir);
  const first = here.start('service');
  await first.next();
  const command = here.start('command');
  await command.next();
  const supervisor = supervisorOf(here.dataDir);
  await first.kill();
  expect(await here.start('service').next()).toHaveProperty('url');
  expect(supervisorOf(here.dataDir)).toBe(supervisor);
});

test('a path that is too long for a socket uses a private short one, which is removed with the server', async () => {
  copyPreparedData(here.dataDir);
  const long = join(
    here.dataDir,
    ...Array.from({ length: 8 }, () => 'a-folder-with-quite-a-long-name'),
    'with spaces, commas & ümlauts',
  );
  const user = here.start('command', { dataDir: long });
  const { url } = await user.next();
  expect(url).toBeDefined();
  const sockets = decodeURIComponent(url?.match(/@(.*):5432/)?.[1] ?? '');
  expect(sockets.length).toBeLessThan(90);
  expect(lstatSync(sockets).mode & 0o077).toBe(0);
  expect(await user.ask('insert')).toEqual({ count: 1 });
  expect(await user.ask('leave')).toEqual({ left: true });
  expect(existsSync(sockets)).toBe(false);
  expect(readdirSync(long)).not.toContain('run');
});

test('a first start that was killed, before or after its cluster was whole, starts again', async () => {
  copyPreparedData(here.dataDir);
  const unfinished = join(here.folder, 'unfinished');
  mkdirSync(join(unfinished, 'postgresql.unfinished'), { recursive: true });
  copyFileSync(join(here.dataDir, 'civic-data.json'), join(unfinished, 'civic-data.json'));
  rmSync(join(here.dataDir, 'database-password'));
  for (const directory of [unfinished, here.dataDir]) {
    const user = here.start('command', { dataDir: directory });
    expect(await user.next()).toHaveProperty('url');
    expect(await user.ask('leave')).toEqual({ left: true });
  }
});

test('damaged data is reported in one line', async () => {
  copyPreparedData(here.dataDir);
  const user = here.start('command');
  await user.next();
  await user.ask('leave');
  writeFileSync(join(here.dataDir, 'postgresql', 'global', 'pg_control'), Buffer.alloc(8192));
  const { refused } = await here.start('service').next();
  expect(refused).toMatch(/is damaged .*: restore it from a backup/);
  expect(refused).not.toContain('\n');
});

test('of ten services at once exactly one starts', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, async () => here.start('service').next()));
  expect(answers.filter(({ url }) => url !== undefined)).toHaveLength(1);
  expect(answers.filter(({ refused }) => refused?.includes('a service already runs'))).toHaveLength(9);
});

test('a killed command does not affect the service', async () => {
  const service = await here.serviceWithRows(3);
  const server = postmasterOf(here.dataDir);
  const command = here.start('command');
  await command.next();
  await command.kill();
  expect(await service.ask('insert')).toEqual({ count: 4 });
  expect(postmasterOf(here.dataDir)).toBe(server);
});

test('a service killed beside a command leaves the server to the command', async () => {
  const service = await here.serviceWithRows(3);
  const command = here.start('command');
  await command.next();
  await service.kill();
  expect(await command.ask('insert')).toEqual({ count: 4 });
  await command.ask('leave');
  expect(processesOf(here.dataDir)).toEqual([]);
});

test('a kill of the supervisor ends the server, and the service starts the next one at the same address', async () => {
  const service = await here.serviceWithRows(3);
  const server = postmasterOf(here.dataDir);
  process.kill(supervisorOf(here.dataDir), 'SIGKILL');
  await restarted(service);
  expect(postmasterOf(here.dataDir)).not.toBe(server);
  expect(await service.ask('count')).toEqual({ count: 3 });
  expect(await service.ask('leave')).toEqual({ left: true });
  expect(processesOf(here.dataDir)).toEqual([]);
});

test('a first start that is killed at any moment is finished by the next one', async () => {
  for (const moment of [0, 60, 150, 250, 350, 450, 600]) {
    const interrupted = here.start('service');
    const ready = interrupted.next();
    // The kill falls into the start of the supervisor, initdb, or the start of the server.
    await new Promise((resolve) => setTimeout(resolve, 100 + moment));
    for (const { pid, command } of processesOf(here.dataDir))
      if (command.includes('supervisor.sh')) process.kill(pid, 'SIGKILL');
    await interrupted.kill();
    await ready;
  }
  const next = here.start('service');
  expect(await next.next()).toHaveProperty('url');
  expect(await next.ask('insert')).toEqual({ count: 1 });
});

test('the next start stops a server that lost its supervisor, and finds every committed row', async () => {
  const service = await here.serviceWithRows(3);
  await service.ask('leave');
  const layout = dataLayout(here.dataDir);
  let lock: number | undefined;
  // The last process of the stopped server may hold it briefly.
  await untilTrue('the lock of the data directory is free', () => (lock = takeLock(layout.lock)) !== undefined);
  const plan = planLaunch(layout);
  const { serverSockets } = makeRunDirectory(layout, plan);
  const [file = '', ...args] = [
    ...plan.prefix,
    program(plan.native, 'postgres'),
    ...serverArguments(layout.cluster, serverSockets),
  ];
  const orphan = spawn(file, args, { cwd: '/', stdio: ['ignore', 'ignore', 'ignore', lock!] });
  const ended = once(orphan, 'exit');
  closeSync(lock!);
  const next = here.start('service');
  expect(await next.next()).toHaveProperty('url');
  expect(await ended).toEqual([0, null]);
  expect(await next.ask('count')).toEqual({ count: 3 });
});

test('a start beside a server that another program started is refused, and that server is not stopped', async () => {
  const service = await here.serviceWithRows(1);
  await service.ask('leave');
  const layout = dataLayout(here.dataDir);
  const plan = planLaunch(layout);
  const [file, ...args] = [
    ...plan.prefix,
    program(plan.native, 'postgres'),
    ...serverArguments(layout.cluster, '/tmp'),
    '-p',
    String(40_000 + (process.pid % 20_000)),
  ];
  const foreign = spawn(file, args, { cwd: '/', stdio: 'ignore' });
  const ended = once(foreign, 'exit');
  const pidFile = join(layout.cluster, 'postmaster.pid');
  await untilTrue('it is ready', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes('ready'));
  expect((await here.start().next()).refused).toMatch(/a PostgreSQL server that another program started uses/);
  expect(foreign.exitCode).toBeNull();
  foreign.kill('SIGINT');
  await ended;
});

test('a stale process number that another process now has does not stop a start', async () => {
  const service = await here.serviceWithRows(3);
  const pidFile = readFileSync(join(here.dataDir, 'postgresql', 'postmaster.pid'), 'utf8');
  await service.ask('leave');
  const { uid } = statSync(join(here.dataDir, 'postgresql'));
  const asOwner = process.getuid?.() === 0 ? ['setpriv', `--reuid=${uid}`, '--clear-groups'] : ['env'];
  const somebody = spawn(asOwner[0] ?? '', [...asOwner.slice(1), 'sleep', '60'], { stdio: 'ignore' });
  writeFileSync(join(here.dataDir, 'postgresql', 'postmaster.pid'), pidFile.replace(/^\d+/, String(somebody.pid)));
  const next = here.start('service');
  expect(await next.next()).toHaveProperty('url');
  somebody.kill();
});

test('signals to the whole process group do not end the supervisor while it has a user', async () => {
  const service = await here.serviceWithRows(3);
  const supervisor = supervisorOf(here.dataDir);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(supervisor, signal);
  expect(await service.ask('insert')).toEqual({ count: 4 });
  expect(supervisorOf(here.dataDir)).toBe(supervisor);
});

test('root runs the server as postgres if that account exists, else as nobody, and never as root', async ({ skip }) => {
  if (!isRoot) skip(why);
  await serviceOn();
  expect(statSync(dataLayout(here.dataDir).cluster).uid).toBe(uidOf('postgres') ?? NOBODY);
});

test('a service that runs the server as nobody logs one warning', async ({ skip }) => {
  if (!isRoot) skip(why);
  const programs = join(here.folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'id'), '#!/bin/sh\ncase "$*" in *postgres*) exit 1;; esac\nexec /usr/bin/id "$@"\n', {
    mode: 0o755,
  });
  const installation = makeInstallation('civic-nobody-', { PATH: `${programs}:${process.env['PATH'] ?? ''}` }, 'bare');
  try {
    const service = await installation.start();
    expect(statSync(dataLayout(installation.dataDir).cluster).uid).toBe(NOBODY);
    expect(await installation.civic(['accounts', 'list'])).toMatchObject({ exitCode: 0, stderr: '' });
    const { stderr } = await service.stop();
    expect(stderr.split('\n').filter((line) => /PostgreSQL runs as nobody/.test(line))).toHaveLength(1);
  } finally {
    await installation.close();
  }
});

test('a data directory with trust authentication keeps its rows, gets a password and a new owner', async () => {
  makeTrustingCluster(here.dataDir);
  const { user, url } = await serviceOn();
  expect(await user.ask('count')).toEqual({ count: 1 });
  await expectLocked(here.dataDir, url);
  const { cluster } = dataLayout(here.dataDir);
  const expected = isRoot ? (uidOf('postgres') ?? NOBODY) : process.getuid?.();
  const owners = readdirSync(cluster, { recursive: true, encoding: 'utf8' }).map(
    (name) => statSync(join(cluster, name)).uid,
  );
  expect(new Set(owners)).toEqual(new Set([expected]));
  expect(await user.ask('leave')).toEqual({ left: true });
  expect((await serviceOn()).url).toBe(url);
});

test.each([
  ['is lost', (path: string) => void spawnSync('rm', [path]), false],
  ['can be read by others', (path: string) => void spawnSync('chmod', ['0644', path]), false],
  ['belongs to another cluster', (path: string) => writeFileSync(path, `${another}\n`), true],
])('a password file that %s is replaced or its password set again at the next start', async (_what, harm, rows) => {
  const first = await serviceOn();
  expect(await first.user.ask('insert')).toEqual({ count: 1 });
  await first.user.ask('leave');
  harm(dataLayout(here.dataDir).password);
  const next = await serviceOn();
  expect(new URL(next.url).password === another).toBe(rows);
  expect(new URL(next.url).password).not.toBe(new URL(first.url).password);
  expect(await next.user.ask('count')).toEqual({ count: 1 });
  await expectLocked(here.dataDir, next.url);
});

test('a killed migration of an old data directory is completed by the next start', { timeout: 300_000 }, async () => {
  const old = join(here.folder, 'old');
  makeTrustingCluster(old);
  for (const moment of [0, 60, 120, 180, 260, 360, 500]) {
    rmSync(here.dataDir, { recursive: true, force: true });
    spawnSync('cp', ['-a', old, here.dataDir]);
    const interrupted = here.start();
    const ready = interrupted.next();
    while (processesOf(here.dataDir).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The kill falls into the start of the supervisor, the change of owner or password, or the start of the server.
    await new Promise((resolve) => setTimeout(resolve, moment));
    for (const { pid } of processesOf(here.dataDir)) spawnSync('kill', ['-9', String(pid)]);
    await interrupted.kill();
    await ready;
    await expectWhole();
  }
});

test.each([
  ['half of the files handed over', true, () => halfHandedOver()],
  ['the password set and not stored', false, () => rmSync(dataLayout(here.dataDir).password)],
  ['empty access rules', false, () => writeFileSync(join(dataLayout(here.dataDir).cluster, 'pg_hba.conf'), '')],
  ['rules of another password', false, () => writeFileSync(dataLayout(here.dataDir).password, `${'a'.repeat(43)}\n`)],
  [
    'an unfinished file of the password',
    false,
    () => writeFileSync(`${dataLayout(here.dataDir).password}.unfinished`, 'a'),
  ],
])('a start completes a migration that was interrupted with %s', async (_state, before, cutShort) => {
  makeTrustingCluster(here.dataDir);
  if (!before) await expectWhole();
  cutShort();
  await expectWhole();
});

test('an ordinary user runs the server without a right of root', async ({ skip }) => {
  if (!isRoot) skip('the other tests run as an ordinary user here');
  mkdirSync(here.dataDir);
  chownSync(here.dataDir, 65534, 65534);
  await worksTwice({ prefix: asNobody });
  expect(statSync(join(here.dataDir, 'postgresql')).uid).toBe(65534);
  expect(statSync(join(here.dataDir, 'database-password'))).toMatchObject({ uid: 65534, mode: 0o100600 });
});

test('root and an ordinary user run the server in turn on the folder of that user', async ({ skip }) => {
  if (!isRoot) skip(why);
  mkdirSync(here.dataDir);
  chownSync(here.dataDir, 65534, 65534);
  for (const [turn, prefix] of [[], asNobody, [], asNobody].entries()) {
    const user = here.start('service', { prefix });
    expect(await user.next()).toHaveProperty('url');
    expect(await user.ask('insert')).toEqual({ count: turn + 1 });
    await user.ask('leave');
  }
});

test('root writes through no link that the owner of the folder has put in place of the log', async ({ skip }) => {
  if (!isRoot) skip(why);
  mkdirSync(here.dataDir);
  chownSync(here.dataDir, 65534, 65534);
  const owner = here.start('command', { prefix: asNobody });
  await owner.next();
  await owner.ask('leave');
  const other = join(here.folder, 'other');
  writeFileSync(other, 'unchanged');
  rmSync(join(here.dataDir, 'postgresql.log'));
  symlinkSync(other, join(here.dataDir, 'postgresql.log'));
  expect((await here.start('command').next()).refused).toMatch(/ELOOP/);
  expect(readFileSync(other, 'utf8')).toBe('unchanged');
});

test('a folder of another user is refused with one line that names the owner', async ({ skip }) => {
  if (!isRoot) skip(why);
  mkdirSync(here.dataDir, { mode: 0o755 });
  const { refused } = await here.start('service', { prefix: asNobody }).next();
  expect(refused).toMatch(
    /cannot be used by user 65534, it belongs to user 0: start as its owner, or set CIVIC_DATA_DIR/,
  );
});

test('an ordinary user cannot use the server of root', async ({ skip }) => {
  if (!isRoot) skip(why);
  const service = here.start('service');
  await service.next();
  const { refused } = await here.start('command', { prefix: asNobody }).next();
  expect(refused).toMatch(/cannot be used by user 65534/);
  await service.ask('leave');
});

test('root runs the server in a folder that no other user can enter', async ({ skip }) => {
  if (!isRoot) skip(why);
  chmodSync(here.folder, 0o700);
  await worksTwice({});
});

test('the files of a former owner are handed over, and no others', async ({ skip }) => {
  const owner = uidOf('postgres');
  if (!isRoot || owner === undefined) skip('needs root and an account postgres');
  makeTrustingCluster(here.dataDir);
  const { cluster } = dataLayout(here.dataDir);
  const other = join(here.folder, 'other');
  writeFileSync(other, '');
  linkSync(other, join(cluster, 'hard-link'));
  symlinkSync(other, join(cluster, 'link'));
  lchownSync(join(cluster, 'link'), NOBODY, NOBODY);
  const service = here.start();
  expect(await service.next()).toHaveProperty('url');
  expect(await service.ask('count')).toEqual({ count: 1 });
  expect(['', 'base', 'global/pg_control', 'PG_VERSION'].map((name) => statSync(join(cluster, name)).uid)).toEqual(
    Array(4).fill(owner),
  );
  expect(statSync(other).uid).toBe(0);
});

test('ten processes at once on a new folder get one server, and the last of them stops it', async () => {
  const ten = Array.from({ length: 10 }, () => here.start('command'));
  const answers = await Promise.all(ten.map(async (user) => user.next()));
  expect(answers.filter(({ refused }) => refused !== undefined)).toEqual([]);
  expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
  expect(processesOf(here.dataDir).filter(({ command }) => command.includes('supervisor.sh'))).toHaveLength(1);
  const counts = await Promise.all(ten.slice(1).map(async (user) => user.ask('leave')));
  expect(counts.every(({ left }) => left)).toBe(true);
  expect(await ten[0]?.ask('insert')).toEqual({ count: 1 });
  expect(await ten[0]?.ask('leave')).toEqual({ left: true });
  expect(processesOf(here.dataDir)).toEqual([]);
});
