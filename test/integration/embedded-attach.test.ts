import { closeSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataDirectory } from '../../infra/embedded-postgresql/data-directory.ts';
import { takeLock } from '../../infra/embedded-postgresql/run-directory.ts';
import { type EmbeddedUser, gone, postmasterOf, processesOf, startUser, supervisorOf, temporaryFolder } from '../support/embedded-users.ts';
import { copyPreparedData } from '../support/prepared-data.ts';

let folder: string;
let dataDir: string;
let users: EmbeddedUser[];

function start(role: 'service' | 'command', directory = dataDir): EmbeddedUser {
  const user = startUser({ dataDir: directory, role });
  users.push(user);
  return user;
}

beforeEach(() => {
  users = [];
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
  copyPreparedData(dataDir);
});

afterEach(async () => {
  await Promise.all(users.map(async (user) => user.kill()));
  await gone(dataDir, folder);
});

test('the last user to leave stops the server and leaves no process, no socket and a complete directory', async () => {
  dataDir = join(folder, 'new');
  const first = start('command');
  expect(await first.next()).toHaveProperty('url');
  expect(await first.ask('insert')).toEqual({ count: 1 });
  expect(await first.ask('leave')).toEqual({ left: true });
  expect(processesOf(dataDir)).toEqual([]);
  expect(existsSync(join(dataDir, 'run'))).toBe(false);
  expect(existsSync(join(dataDir, 'postgresql', 'postmaster.pid'))).toBe(false);
  const second = start('command');
  await second.next();
  expect(await second.ask('count')).toEqual({ count: 1 });
});

test('a second command shares the server of the first and continues when the first has ended', async () => {
  const first = start('command');
  const { url } = await first.next();
  const server = postmasterOf(dataDir);
  const second = start('command');
  expect((await second.next()).url).toBe(url);
  await first.ask('insert');
  // It does not wait for the end of a server that has another user; it would for 70 seconds.
  const left = first.ask('leave');
  const late = new Promise((resolve) => setTimeout(resolve, 60_000, 'late').unref());
  expect(await Promise.race([left, late])).toEqual({ left: true });
  expect(await second.ask('count')).toEqual({ count: 1 });
  expect(postmasterOf(dataDir)).toBe(server);
});

test('a service adopts the server of a command and keeps it when the command ends', async () => {
  const command = start('command');
  await command.next();
  const server = postmasterOf(dataDir);
  const service = start('service');
  expect(await service.next()).toHaveProperty('url');
  await command.ask('leave');
  expect(await service.ask('insert')).toEqual({ count: 1 });
  expect(postmasterOf(dataDir)).toBe(server);
  expect(await service.ask('leave')).toEqual({ left: true });
  expect(processesOf(dataDir)).toEqual([]);
});

test('a second service is refused with one line that names the first, and the first is not affected', async () => {
  const first = start('service');
  await first.next();
  const { refused, name } = await start('service').next();
  expect(name).toBe('EmbeddedDatabaseRefused');
  expect(refused).toContain(`process ${first.pid}`);
  expect(refused).not.toContain('\n');
  expect(await first.ask('insert')).toEqual({ count: 1 });
});

test('a service that starts right after another was killed is accepted', async () => {
  const first = start('service');
  await first.next();
  const command = start('command');
  await command.next();
  const supervisor = supervisorOf(dataDir);
  await first.kill();
  expect(await start('service').next()).toHaveProperty('url');
  expect(supervisorOf(dataDir)).toBe(supervisor);
});

test('a server of an older release is refused with one line; the folder is usable when it has ended', async () => {
  const layout = claimDataDirectory(dataDir);
  const lock = takeLock(layout.lock)!;
  mkdirSync(layout.run, { mode: 0o700 });
  writeFileSync(join(layout.run, 'keeper.sock'), '');
  expect((await start('command').next()).refused).toMatch(
    /an older release uses .*: stop the service and every command, then start again$/,
  );
  closeSync(lock);
  expect(await start('command').next()).toHaveProperty('url');
});

test('a path that is too long for a socket uses a private short one, which is removed with the server', async () => {
  const long = join(dataDir, ...Array.from({ length: 8 }, () => 'a-folder-with-quite-a-long-name'), 'with spaces, commas & ümlauts');
  const user = start('command', long);
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

test('the supervisor and the server do not have the secrets of the process that started them', async () => {
  const user = startUser({ dataDir, role: 'command', env: { SOME_SECRET: 'never-seen' } });
  users.push(user);
  await user.next();
  for (const pid of [supervisorOf(dataDir), postmasterOf(dataDir)]) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('never-seen');
  }
});

test('a folder of another program is refused and unchanged', async () => {
  dataDir = join(folder, 'other');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'PG_VERSION'), '16\n');
  const { refused } = await start('service').next();
  expect(refused).toMatch(/is not empty .* \(it holds PG_VERSION\): set CIVIC_DATA_DIR/);
  expect(readdirSync(dataDir)).toEqual(['PG_VERSION']);
});

test('data of another version of PostgreSQL is refused and unchanged', async () => {
  const user = start('command');
  await user.next();
  await user.ask('leave');
  writeFileSync(join(dataDir, 'postgresql', 'PG_VERSION'), '19\n');
  const { refused } = await start('service').next();
  expect(refused).toMatch(/holds data of PostgreSQL 19 .* reads version 18/);
});

test('a folder that has lost its database is refused, and gets no other one', async () => {
  const user = start('command');
  await user.next();
  await user.ask('leave');
  const cluster = join(dataDir, 'postgresql');
  rmSync(cluster, { recursive: true });
  const missing =
    /has had a database, and .*PG_VERSION is missing: put the whole folder .*postgresql back .*, or restore a backup into a new folder/;
  expect((await start('service').next()).refused).toMatch(missing);
  expect(existsSync(cluster)).toBe(false);
  mkdirSync(cluster, { mode: 0o700 });
  expect((await start('service').next()).refused).toMatch(missing);
  expect(readdirSync(cluster)).toEqual([]);
});

test('a first start that was killed, before or after its cluster was whole, starts again', async () => {
  const unfinished = join(folder, 'unfinished');
  mkdirSync(join(unfinished, 'postgresql.unfinished'), { recursive: true });
  copyFileSync(join(dataDir, 'civic-data.json'), join(unfinished, 'civic-data.json'));
  rmSync(join(dataDir, 'database-password'));
  for (const directory of [unfinished, dataDir]) {
    const user = start('command', directory);
    expect(await user.next()).toHaveProperty('url');
    expect(await user.ask('leave')).toEqual({ left: true });
  }
});

test('damaged data is reported in one line', async () => {
  const user = start('command');
  await user.next();
  await user.ask('leave');
  writeFileSync(join(dataDir, 'postgresql', 'global', 'pg_control'), Buffer.alloc(8192));
  const { refused } = await start('service').next();
  expect(refused).toMatch(/is damaged .*: restore it from a backup/);
  expect(refused).not.toContain('\n');
});
