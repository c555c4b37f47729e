import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { type EmbeddedUser, gone, processesOf, startUser, temporaryFolder } from '../support/embedded-users.ts';
import { makeInstallation } from '../support/service.ts';
import { makeTrustingCluster, NOBODY, uidOf } from '../support/trusting-cluster.ts';

const root = process.getuid?.() === 0;
const why = 'needs root, to become other users';
const LOGIN = fileURLToPath(new URL('../support/login-main.ts', import.meta.url));
const another = 'a'.repeat(43);
let folder: string;
let dataDir: string;
let users: EmbeddedUser[];

async function serviceOn(env: Readonly<Record<string, string>> = {}): Promise<{ readonly user: EmbeddedUser; readonly url: string }> {
  const user = startUser({ dataDir, role: 'service', env });
  users.push(user);
  const { url, refused } = await user.next();
  if (url === undefined) throw new Error(refused);
  return { user, url };
}

/** The result of a login of a process of a user with a connection string. */
function loginAs(uid: number, url: string): string {
  const become = root ? [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'] : [];
  return spawnSync('setpriv', [...become, process.execPath, LOGIN], { input: url, encoding: 'utf8', cwd: '/', env: childEnvironment() })
    .stdout;
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}

/** No process of the server's account can log in or read the password. */
async function expectLocked(url: string): Promise<void> {
  const serverAccount = statSync(dataLayout(dataDir).cluster).uid;
  expect(loginAs(serverAccount, url)).toBe('in');
  expect(loginAs(serverAccount, withPassword(url, ''))).toBe('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(loginAs(serverAccount, withPassword(url, 'wrong'))).toBe('28P01');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rules = await client.query('select type, array_to_string(database, $1) as database, auth_method from pg_hba_file_rules', [',']);
    expect(rules.rows).toEqual([
      { type: 'local', database: 'all', auth_method: 'scram-sha-256' },
      { type: 'host', database: 'all', auth_method: 'scram-sha-256' },
    ]);
    expect((await client.query('show listen_addresses')).rows).toEqual([{ listen_addresses: '' }]);
  } finally {
    await client.end();
  }
  const { password } = dataLayout(dataDir);
  expect(statSync(password)).toMatchObject({ uid: statSync(dataDir).uid, mode: 0o100600 });
  expect(readFileSync(password, 'utf8').trim()).toBe(new URL(url).password);
  const read = spawnSync('setpriv', [`--reuid=${serverAccount}`, `--regid=${serverAccount}`, '--clear-groups', 'cat', password]);
  if (root) expect(read.status).not.toBe(0);
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

test('a process of the server account is refused without the password, and cannot read it', async () => {
  const { url } = await serviceOn();
  await expectLocked(url);
});

test('root runs the server as postgres if that account exists, else as nobody, and never as root', async ({ skip }) => {
  if (!root) skip(why);
  await serviceOn();
  expect(statSync(dataLayout(dataDir).cluster).uid).toBe(uidOf('postgres') ?? NOBODY);
});

test('a service that runs the server as nobody logs one warning', async ({ skip }) => {
  if (!root) skip(why);
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'id'), '#!/bin/sh\ncase "$*" in *postgres*) exit 1;; esac\nexec /usr/bin/id "$@"\n', { mode: 0o755 });
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
  makeTrustingCluster(dataDir);
  const { user, url } = await serviceOn();
  expect(await user.ask('count')).toEqual({ count: 1 });
  await expectLocked(url);
  const { cluster } = dataLayout(dataDir);
  const expected = root ? (uidOf('postgres') ?? NOBODY) : process.getuid?.();
  const owners = readdirSync(cluster, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(cluster, name)).uid);
  expect(new Set(owners)).toEqual(new Set([expected]));
  expect(await user.ask('leave')).toEqual({ left: true });
  expect((await serviceOn()).url).toBe(url);
});

test.each([
  ['is lost', (path: string) => void spawnSync('rm', [path]), false],
  ['can be read by others', (path: string) => void spawnSync('chmod', ['0644', path]), false],
  ['belongs to another cluster', (path: string) => writeFileSync(path, `${another}\n`), true],
])('a password file that %s is replaced or its password set again at the next start', async (_what, harm, kept) => {
  const first = await serviceOn();
  expect(await first.user.ask('insert')).toEqual({ count: 1 });
  await first.user.ask('leave');
  harm(dataLayout(dataDir).password);
  const next = await serviceOn();
  expect(new URL(next.url).password === another).toBe(kept);
  expect(new URL(next.url).password).not.toBe(new URL(first.url).password);
  expect(await next.user.ask('count')).toEqual({ count: 1 });
  await expectLocked(next.url);
});

test('the password is in no command line, environment, log, answer or file except its own', { timeout: 240_000 }, async () => {
  const installation = makeInstallation('civic-password-', { CIVIC_LOG_LEVEL: 'trace' }, 'bare');
  try {
    const service = await installation.start({ sample: 'on' });
    const layout = dataLayout(installation.dataDir);
    const password = readFileSync(layout.password, 'utf8').trim();
    const said: Record<string, string> = {};
    for (const [name, args] of Object.entries({ doctor: ['doctor'], json: ['doctor', '--json'], refused: ['serve'] })) {
      const { stdout, stderr } = await installation.civic(args);
      said[name] = stdout + stderr;
    }
    for (const { pid, command } of [...processesOf(installation.dataDir), { pid: service.pid, command: 'serve' }]) {
      for (const about of ['cmdline', 'environ']) said[`${about} of ${command}`] = readFileSync(`/proc/${pid}/${about}`, 'utf8');
    }
    for (const path of ['/metrics', '/readyz', '/ops/state']) said[path] = await (await fetch(service.opsUrl + path)).text();
    const { stdout, stderr } = await service.stop();
    Object.assign(said, { stdout, stderr, 'the log of the server': readFileSync(layout.serverLog, 'utf8') });
    for (const name of readdirSync(installation.dataDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(installation.dataDir, name);
      if (path !== layout.password && existsSync(path) && statSync(path).isFile()) said[name] = readFileSync(path, 'latin1');
    }
    expect(password.length).toBeGreaterThanOrEqual(43);
    expect(said['stderr']).toContain('stopping');
    expect(said['doctor']).toContain('database');
    expect(
      Object.entries(said)
        .filter(([, text]) => text.includes(password))
        .map(([where]) => where),
    ).toEqual([]);
  } finally {
    await installation.close();
  }
});
