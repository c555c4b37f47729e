import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { planLaunch, program } from '../../infra/embedded-postgresql/launch-plan.ts';
import { makeRunDirectory, takeLock } from '../../infra/embedded-postgresql/run-directory.ts';
import { serverArguments } from '../../infra/embedded-postgresql/server-settings.ts';
import { type EmbeddedUser, gone, postmasterOf, processesOf, startUser, supervisorOf, temporaryFolder } from '../support/embedded-users.ts';
import { copyPreparedData } from '../support/prepared-data.ts';
import { untilTrue } from '../support/until-reached.ts';

let folder: string;
let dataDir: string;
let users: EmbeddedUser[];

function start(role: 'service' | 'command'): EmbeddedUser {
  const user = startUser({ dataDir, role });
  users.push(user);
  return user;
}

async function restarted(user: EmbeddedUser): Promise<void> {
  expect((await user.next()).logged).toMatch(/has ended/);
  expect((await user.next()).logged).toMatch(/runs again/);
}

/** A service that uses the database, with three committed rows. */
async function serviceWithThreeRows(): Promise<EmbeddedUser> {
  copyPreparedData(dataDir);
  const service = start('service');
  await service.next();
  for (const count of [1, 2, 3]) expect(await service.ask('insert')).toEqual({ count });
  return service;
}

beforeEach(() => {
  users = [];
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  await Promise.all(users.map(async (user) => user.kill()));
  await gone(dataDir, folder);
});

test('ten processes at once on a new folder get one server, and the last of them stops it', async () => {
  const ten = Array.from({ length: 10 }, () => start('command'));
  const answers = await Promise.all(ten.map(async (user) => user.next()));
  expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
  expect(answers.filter(({ refused }) => refused !== undefined)).toEqual([]);
  expect(processesOf(dataDir).filter(({ command }) => command.includes('supervisor.sh'))).toHaveLength(1);
  const counts = await Promise.all(ten.slice(1).map(async (user) => user.ask('leave')));
  expect(counts.every(({ left }) => left)).toBe(true);
  expect(await ten[0]?.ask('insert')).toEqual({ count: 1 });
  expect(await ten[0]?.ask('leave')).toEqual({ left: true });
  expect(processesOf(dataDir)).toEqual([]);
});

test('of ten services at once exactly one starts', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, async () => start('service').next()));
  expect(answers.filter(({ url }) => url !== undefined)).toHaveLength(1);
  expect(answers.filter(({ refused }) => refused?.includes('a service already runs'))).toHaveLength(9);
});

test('a kill of the only service stops supervisor and server, and the next start finds every committed row', async () => {
  const service = await serviceWithThreeRows();
  await service.kill();
  await untilTrue('nothing runs', () => processesOf(dataDir).length === 0);
  const next = start('service');
  await next.next();
  expect(await next.ask('count')).toEqual({ count: 3 });
});

test('a killed command does not affect the service', async () => {
  const service = await serviceWithThreeRows();
  const server = postmasterOf(dataDir);
  const command = start('command');
  await command.next();
  await command.kill();
  expect(await service.ask('insert')).toEqual({ count: 4 });
  expect(postmasterOf(dataDir)).toBe(server);
});

test('a service killed beside a command leaves the server to the command', async () => {
  const service = await serviceWithThreeRows();
  const command = start('command');
  await command.next();
  await service.kill();
  expect(await command.ask('insert')).toEqual({ count: 4 });
  await command.ask('leave');
  expect(processesOf(dataDir)).toEqual([]);
});

test('a kill of the supervisor ends the server, and the service starts the next one at the same address', async () => {
  const service = await serviceWithThreeRows();
  const server = postmasterOf(dataDir);
  process.kill(supervisorOf(dataDir), 'SIGKILL');
  await restarted(service);
  expect(postmasterOf(dataDir)).not.toBe(server);
  expect(await service.ask('count')).toEqual({ count: 3 });
  expect(await service.ask('leave')).toEqual({ left: true });
  expect(processesOf(dataDir)).toEqual([]);
});

test('a killed postmaster is followed by one new server for all users, each time, and every committed row is back', async () => {
  const service = await serviceWithThreeRows();
  const command = start('command');
  await command.next();
  for (let deaths = 0; deaths < 6; deaths += 1) {
    const server = postmasterOf(dataDir);
    process.kill(server, 'SIGKILL');
    await Promise.all([service, command].map(restarted));
    expect(postmasterOf(dataDir)).not.toBe(server);
    expect(await service.ask('count')).toEqual({ count: 3 });
    expect(await command.ask('count')).toEqual({ count: 3 });
  }
  expect(processesOf(dataDir).filter(({ command: line }) => line.includes('supervisor.sh'))).toHaveLength(1);
});

test('a user that comes while the server stops is served, and its rows stay', async () => {
  for (let turn = 1; turn <= 8; turn += 1) {
    const [leaver, newcomer] = [start('command'), start('command')];
    await leaver.next();
    const left = leaver.ask('leave');
    expect(await newcomer.next()).toHaveProperty('url');
    expect(await newcomer.ask('insert')).toEqual({ count: turn });
    await left;
    expect(await newcomer.ask('count')).toEqual({ count: turn });
    await newcomer.kill();
  }
});

test('supervisor, postmaster and service killed at once leave no process, and every committed row is back', async () => {
  const service = await serviceWithThreeRows();
  for (const pid of [postmasterOf(dataDir), supervisorOf(dataDir)]) process.kill(pid, 'SIGKILL');
  await service.kill();
  const next = start('service');
  expect(await next.next()).toHaveProperty('url');
  expect(await next.ask('count')).toEqual({ count: 3 });
});

test('a first start that is killed at any moment is finished by the next one', async () => {
  for (const moment of [0, 60, 150, 250, 350, 450, 600]) {
    const interrupted = start('service');
    const ready = interrupted.next();
    // The kill falls into the start of the supervisor, initdb, or the start of the server.
    await new Promise((resolve) => setTimeout(resolve, 100 + moment));
    for (const { pid, command } of processesOf(dataDir)) if (command.includes('supervisor.sh')) process.kill(pid, 'SIGKILL');
    await interrupted.kill();
    await ready;
  }
  const next = start('service');
  expect(await next.next()).toHaveProperty('url');
  expect(await next.ask('insert')).toEqual({ count: 1 });
});

test('the next start stops a server that lost its supervisor, and finds every committed row', async () => {
  const service = await serviceWithThreeRows();
  await service.ask('leave');
  const layout = dataLayout(dataDir);
  let lock: number | undefined;
  // The last process of the stopped server may hold it briefly.
  await untilTrue('the lock of the data directory is free', () => (lock = takeLock(layout.lock)) !== undefined);
  const plan = planLaunch(layout);
  const { serverSockets } = makeRunDirectory(layout, plan);
  const [file = '', ...args] = [...plan.prefix, program(plan.native, 'postgres'), ...serverArguments(layout.cluster, serverSockets)];
  const orphan = spawn(file, args, { cwd: '/', stdio: ['ignore', 'ignore', 'ignore', lock!] });
  const ended = once(orphan, 'exit');
  closeSync(lock!);
  const next = start('service');
  expect(await next.next()).toHaveProperty('url');
  expect(await ended).toEqual([0, null]);
  expect(await next.ask('count')).toEqual({ count: 3 });
});

test('a stale process number that another process now has does not stop a start', async () => {
  const service = await serviceWithThreeRows();
  const pidFile = readFileSync(join(dataDir, 'postgresql', 'postmaster.pid'), 'utf8');
  await service.ask('leave');
  const { uid } = statSync(join(dataDir, 'postgresql'));
  const asOwner = process.getuid?.() === 0 ? ['setpriv', `--reuid=${uid}`, '--clear-groups'] : ['env'];
  const somebody = spawn(asOwner[0] ?? '', [...asOwner.slice(1), 'sleep', '60'], { stdio: 'ignore' });
  writeFileSync(join(dataDir, 'postgresql', 'postmaster.pid'), pidFile.replace(/^\d+/, String(somebody.pid)));
  const next = start('service');
  expect(await next.next()).toHaveProperty('url');
  somebody.kill();
});

test('signals to the whole process group do not end the supervisor while it has a user', async () => {
  const service = await serviceWithThreeRows();
  const supervisor = supervisorOf(dataDir);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.kill(supervisor, signal);
  expect(await service.ask('insert')).toEqual({ count: 4 });
  expect(supervisorOf(dataDir)).toBe(supervisor);
});
