import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { unlessGone } from '../../infra/embedded-postgresql/refusal.ts';
import { type EmbeddedUser, gone, postmasterOf, processesOf, startUser, supervisorOf, temporaryFolder } from '../support/embedded-users.ts';
import { copyPreparedData } from '../support/prepared-data.ts';
import { makeTrustingCluster, NOBODY, uidOf } from '../support/trusting-cluster.ts';

/** What macOS does not have: util-linux, the options of GNU `chown`, and `/proc` (for the program; `lsof` of Linux itself needs it). */
const HIDDEN = ['flock', 'setpriv', 'unshare', 'chown'];
const SHORT_OPTIONS_ONLY = '#!/bin/sh\ncase "$1" in --*) exit 1 ;; esac\nexec /bin/chown "$@"\n';
const WITHOUT_PROC = `--import=${new URL('../support/hidden-proc.mjs', import.meta.url).href}`;

let folder: string;
let dataDir: string;
let users: EmbeddedUser[];
let env: Record<string, string>;

function start(role: 'service' | 'command' = 'service'): EmbeddedUser {
  const user = startUser({ dataDir, role, env });
  users.push(user);
  return user;
}

async function serviceWithARow(): Promise<EmbeddedUser> {
  copyPreparedData(dataDir);
  const service = start();
  expect(await service.next()).toHaveProperty('url');
  expect(await service.ask('insert')).toEqual({ count: 1 });
  return service;
}

async function restarted(user: EmbeddedUser): Promise<void> {
  expect((await user.next()).logged).toMatch(/has ended/);
  expect((await user.next()).logged).toMatch(/runs again/);
  expect(await user.ask('count')).toEqual({ count: 1 });
}

beforeEach(({ skip }) => {
  for (const program of ['perl', 'lsof']) if (spawnSync(program, ['-v']).error !== undefined) skip(`needs ${program}`);
  users = [];
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  for (const directory of (process.env['PATH'] ?? '').split(delimiter).filter(existsSync))
    for (const name of readdirSync(directory).filter((found) => !HIDDEN.includes(found) && !existsSync(join(programs, found))))
      symlinkSync(join(directory, name), join(programs, name));
  writeFileSync(join(programs, 'chown'), SHORT_OPTIONS_ONLY, { mode: 0o755 });
  env = { PATH: programs, NODE_OPTIONS: WITHOUT_PROC };
});

afterEach(async () => {
  await Promise.all(users.map(async (user) => user.kill()));
  for (const { pid } of processesOf(dataDir)) unlessGone(() => process.kill(pid, 'SIGKILL'));
  await gone(dataDir, folder);
});

test('users share one server, the end of one does not stop it, and the next start finds every row', async () => {
  const service = await serviceWithARow();
  const server = postmasterOf(dataDir);
  const [command, other] = [start('command'), start('command')];
  for (const user of [command, other]) expect(await user.next()).toHaveProperty('url');
  await command.kill();
  expect((await start().next()).refused).toMatch(/a service already runs on this data directory/);
  expect(await service.ask('count')).toEqual({ count: 1 });
  await service.kill();
  expect(await other.ask('count')).toEqual({ count: 1 });
  expect(postmasterOf(dataDir)).toBe(server);
  expect(await other.ask('leave')).toEqual({ left: true });
  expect(processesOf(dataDir)).toEqual([]);
  const next = start();
  await next.next();
  expect(await next.ask('count')).toEqual({ count: 1 });
});

test('ten processes at once on a new folder get one server', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, async () => start('command').next()));
  expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
  expect(processesOf(dataDir).filter(({ command }) => command.includes('supervisor.sh'))).toHaveLength(1);
});

test('a killed supervisor or postmaster is followed by a new server', async () => {
  const service = await serviceWithARow();
  for (const processOf of [postmasterOf, supervisorOf]) {
    const server = postmasterOf(dataDir);
    process.kill(processOf(dataDir), 'SIGKILL');
    await restarted(service);
    expect(postmasterOf(dataDir)).not.toBe(server);
  }
});

test('a server outlives its supervisor and its users, and the next start ends it', async () => {
  const service = await serviceWithARow();
  const server = postmasterOf(dataDir);
  process.kill(supervisorOf(dataDir), 'SIGKILL');
  await service.kill();
  expect(processesOf(dataDir).map(({ pid }) => pid)).toContain(server);
  const next = start();
  expect(await next.next()).toHaveProperty('url');
  expect(postmasterOf(dataDir)).not.toBe(server);
  expect(await next.ask('count')).toEqual({ count: 1 });
});

test('a process of another server in the cluster is found and ended before the next start', async () => {
  const service = await serviceWithARow();
  await service.ask('leave');
  const { cluster } = dataLayout(dataDir);
  // The name that `/proc` and `lsof` show is the one of the file.
  const program = join(folder, 'postgres-remains');
  copyFileSync('/bin/sleep', program);
  const remains = spawn(program, ['600'], { cwd: cluster, stdio: 'ignore' });
  const ended = once(remains, 'exit');
  expect(await start().next()).toHaveProperty('url');
  expect(processesOf(dataDir).map(({ pid }) => pid)).not.toContain(remains.pid);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('an ordinary user runs the server', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('the other tests run as an ordinary user here');
  mkdirSync(dataDir);
  chownSync(dataDir, NOBODY, NOBODY);
  const prefix = ['perl', '-e', 'use POSIX; setgid(65534); setuid(65534); exec @ARGV'];
  const service = startUser({ dataDir, role: 'service', env, prefix });
  users.push(service);
  expect(await service.next()).toHaveProperty('url');
  expect(await service.ask('insert')).toEqual({ count: 1 });
  process.kill(supervisorOf(dataDir), 'SIGKILL');
  await restarted(service);
  expect(statSync(join(dataDir, 'postgresql')).uid).toBe(NOBODY);
});

test('the files of a former owner are handed over, and no others', async ({ skip }) => {
  const owner = uidOf('postgres');
  if (process.getuid?.() !== 0 || owner === undefined) skip('needs root and an account postgres');
  makeTrustingCluster(dataDir);
  const { cluster } = dataLayout(dataDir);
  const other = join(folder, 'other');
  writeFileSync(other, '');
  linkSync(other, join(cluster, 'hard-link'));
  symlinkSync(other, join(cluster, 'link'));
  lchownSync(join(cluster, 'link'), NOBODY, NOBODY);
  const service = start();
  expect(await service.next()).toHaveProperty('url');
  expect(await service.ask('count')).toEqual({ count: 1 });
  expect(['', 'base', 'global/pg_control', 'PG_VERSION'].map((name) => statSync(join(cluster, name)).uid)).toEqual(Array(4).fill(owner));
  expect(statSync(other).uid).toBe(0);
});
