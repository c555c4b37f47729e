import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimDataDirectory, dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { takeLock } from '../../infra/embedded-postgresql/run-directory.ts';
import { type EmbeddedUser, postmasterOf, processesOf, supervisorOf } from '../support/embedded-users.ts';
import { nightlyTest } from '../support/nightly-test.ts';
import { testRuns } from '../support/test-runs.ts';
import { copyPreparedData } from '../support/prepared-data.ts';
import { untilTrue } from '../support/until-reached.ts';
import { makeInstallation } from '../support/service.ts';
import { restarted, useEmbeddedFolder } from '../support/embedded-folder.ts';
import { expectLocked } from '../support/embedded-password.ts';

const here = useEmbeddedFolder();

async function serviceOn(
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly user: EmbeddedUser; readonly url: string }> {
  const user = here.start('service', { env });
  const { url, refused } = await user.next();
  if (url === undefined) throw new Error(refused);
  return { user, url };
}

test('the last user to leave stops the server and leaves no process, no socket and a complete directory', async () => {
  here.dataDir = join(here.folder, 'new');
  const first = here.start('command');
  expect(await first.next()).toHaveProperty('url');
  expect(await first.ask('insert')).toEqual({ count: 1 });
  expect(await first.ask('leave')).toEqual({ left: true });
  expect(processesOf(here.dataDir)).toEqual([]);
  expect(existsSync(join(here.dataDir, 'run'))).toBe(false);
  expect(existsSync(join(here.dataDir, 'postgresql', 'postmaster.pid'))).toBe(false);
  const second = here.start('command');
  await second.next();
  expect(await second.ask('count')).toEqual({ count: 1 });
});

test('a second command shares the server of the first and continues when the first has ended', async () => {
  copyPreparedData(here.dataDir);
  const first = here.start('command');
  const { url } = await first.next();
  const server = postmasterOf(here.dataDir);
  const second = here.start('command');
  expect((await second.next()).url).toBe(url);
  await first.ask('insert');
  // It does not wait for the end of a server that has another user; it would for 70 seconds.
  const leaving = first.ask('leave');
  const late = new Promise((resolve) => setTimeout(resolve, 60_000, 'late').unref());
  expect(await Promise.race([leaving, late])).toEqual({ left: true });
  expect(await second.ask('count')).toEqual({ count: 1 });
  expect(postmasterOf(here.dataDir)).toBe(server);
});

test('a service adopts the server of a command and keeps it when the command ends', async () => {
  copyPreparedData(here.dataDir);
  const command = here.start('command');
  await command.next();
  const server = postmasterOf(here.dataDir);
  const service = here.start('service');
  expect(await service.next()).toHaveProperty('url');
  await command.ask('leave');
  expect(await service.ask('insert')).toEqual({ count: 1 });
  expect(postmasterOf(here.dataDir)).toBe(server);
  expect(await service.ask('leave')).toEqual({ left: true });
  expect(processesOf(here.dataDir)).toEqual([]);
});

test('a second service is refused with one line that names the first, and the first is not affected', async () => {
  copyPreparedData(here.dataDir);
  const first = here.start('service');
  await first.next();
  const { refused, name } = await here.start('service').next();
  expect(name).toBe('EmbeddedDatabaseRefused');
  expect(refused).toContain(`process ${first.pid}`);
  expect(refused).not.toContain('\n');
  expect(await first.ask('insert')).toEqual({ count: 1 });
});

test('a server of an older release is refused with one line; the folder is usable when it has ended', async () => {
  copyPreparedData(here.dataDir);
  const layout = claimDataDirectory(here.dataDir);
  const lock = takeLock(layout.lock)!;
  mkdirSync(layout.run, { mode: 0o700 });
  writeFileSync(join(layout.run, 'keeper.sock'), '');
  expect((await here.start('command').next()).refused).toMatch(
    /an older release uses .*: stop the service and every command, then start again$/,
  );
  closeSync(lock);
  expect(await here.start('command').next()).toHaveProperty('url');
});

test('the supervisor and the server do not have the secrets of the process that started them', async () => {
  copyPreparedData(here.dataDir);
  const user = here.start('command', { env: { SOME_SECRET: 'never-seen' } });
  await user.next();
  for (const pid of [supervisorOf(here.dataDir), postmasterOf(here.dataDir)]) {
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('never-seen');
  }
});

test('a folder of another program is refused and unchanged', async () => {
  here.dataDir = join(here.folder, 'other');
  mkdirSync(here.dataDir);
  writeFileSync(join(here.dataDir, 'PG_VERSION'), '16\n');
  const { refused } = await here.start('service').next();
  expect(refused).toMatch(/is not empty .* \(it contains PG_VERSION\): set CIVIC_DATA_DIR/);
  expect(readdirSync(here.dataDir)).toEqual(['PG_VERSION']);
});

test('data of another version of PostgreSQL is refused and unchanged', async () => {
  copyPreparedData(here.dataDir);
  const user = here.start('command');
  await user.next();
  await user.ask('leave');
  writeFileSync(join(here.dataDir, 'postgresql', 'PG_VERSION'), '19\n');
  const { refused } = await here.start('service').next();
  expect(refused).toMatch(/contains data of PostgreSQL 19 .* reads version 18/);
});

test('a folder that has lost its database is refused, and gets no other one', async () => {
  copyPreparedData(here.dataDir);
  const user = here.start('command');
  await user.next();
  await user.ask('leave');
  const cluster = join(here.dataDir, 'postgresql');
  rmSync(cluster, { recursive: true });
  const missing =
    /has had a database, and .*PG_VERSION is missing: put the whole folder .*postgresql back .*, or restore a backup into a new folder/;
  expect((await here.start('service').next()).refused).toMatch(missing);
  expect(existsSync(cluster)).toBe(false);
  mkdirSync(cluster, { mode: 0o700 });
  expect((await here.start('service').next()).refused).toMatch(missing);
  expect(readdirSync(cluster)).toEqual([]);
});

test('a kill of the only service stops supervisor and server, and the next start finds every committed row', async () => {
  const service = await here.serviceWithRows(3);
  await service.kill();
  await untilTrue('nothing runs', () => processesOf(here.dataDir).length === 0);
  const next = here.start('service');
  await next.next();
  expect(await next.ask('count')).toEqual({ count: 3 });
});

test('a killed postmaster is followed by one new server for all users, each time, and every committed row is back', async () => {
  const service = await here.serviceWithRows(3);
  const command = here.start('command');
  await command.next();
  for (let deaths = 0; deaths < testRuns(2); deaths += 1) {
    const server = postmasterOf(here.dataDir);
    process.kill(server, 'SIGKILL');
    await Promise.all([service, command].map(restarted));
    expect(postmasterOf(here.dataDir)).not.toBe(server);
    expect(await service.ask('count')).toEqual({ count: 3 });
    expect(await command.ask('count')).toEqual({ count: 3 });
  }
  expect(processesOf(here.dataDir).filter(({ command: line }) => line.includes('supervisor.sh'))).toHaveLength(1);
});

test('a user that comes while the server stops is served, and its rows stay', async () => {
  for (let turn = 1; turn <= testRuns(2); turn += 1) {
    const [leaver, newcomer] = [here.start('command'), here.start('command')];
    await leaver.next();
    const leaving = leaver.ask('leave');
    expect(await newcomer.next()).toHaveProperty('url');
    expect(await newcomer.ask('insert')).toEqual({ count: turn });
    await leaving;
    expect(await newcomer.ask('count')).toEqual({ count: turn });
    await newcomer.kill();
  }
});

nightlyTest(
  'supervisor, postmaster and service killed at once leave no process, and every committed row is back',
  async () => {
    const service = await here.serviceWithRows(3);
    for (const pid of [postmasterOf(here.dataDir), supervisorOf(here.dataDir)]) process.kill(pid, 'SIGKILL');
    await service.kill();
    const next = here.start('service');
    expect(await next.next()).toHaveProperty('url');
    expect(await next.ask('count')).toEqual({ count: 3 });
  },
);

nightlyTest('a service that stops before it noticed the death of the supervisor stops PostgreSQL itself', async () => {
  const service = await here.serviceWithRows(3);
  process.kill(supervisorOf(here.dataDir), 'SIGKILL');
  expect(await service.ask('leave')).toEqual({ left: true });
  expect(processesOf(here.dataDir)).toEqual([]);
  const next = here.start('service');
  await next.next();
  expect(await next.ask('count')).toEqual({ count: 3 });
});

nightlyTest('a process of the server account is refused without the password, and cannot read it', async () => {
  const { url } = await serviceOn();
  await expectLocked(here.dataDir, url);
});

test('the password is in no command line, environment, log, answer or file except its own', {
  timeout: 240_000,
}, async () => {
  const installation = makeInstallation('civic-password-', { CIVIC_LOG_LEVEL: 'trace' }, 'bare');
  try {
    const service = await installation.start();
    const layout = dataLayout(installation.dataDir);
    const password = readFileSync(layout.password, 'utf8').trim();
    const answers: Record<string, string> = {};
    for (const [name, args] of Object.entries({ doctor: ['doctor'], json: ['doctor', '--json'], refused: ['serve'] })) {
      const { stdout, stderr } = await installation.civicHere(args);
      answers[name] = stdout + stderr;
    }
    for (const { pid, command } of [...processesOf(installation.dataDir), { pid: service.pid, command: 'serve' }]) {
      for (const about of ['cmdline', 'environ'])
        answers[`${about} of ${command}`] = readFileSync(`/proc/${pid}/${about}`, 'utf8');
    }
    for (const path of ['/metrics', '/readyz', '/ops/state'])
      answers[path] = await (await fetch(service.opsUrl + path)).text();
    const { stdout, stderr } = await service.stop();
    Object.assign(answers, { stdout, stderr, 'the log of the server': readFileSync(layout.serverLog, 'utf8') });
    for (const name of readdirSync(installation.dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(installation.dataDir, name);
      if (path !== layout.password && existsSync(path) && statSync(path).isFile())
        answers[name] = readFileSync(path, 'latin1');
    }
    expect(password.length).toBeGreaterThanOrEqual(43);
    expect(answers['stderr']).toContain('stopping');
    expect(answers['doctor']).toContain('database');
    expect(
      Object.entries(answers)
        .filter(([, text]) => text.includes(password))
        .map(([where]) => where),
    ).toEqual([]);
  } finally {
    await installation.close();
  }
});
