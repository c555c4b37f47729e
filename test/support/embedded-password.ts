import { readFileSync, statSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { Client } from 'pg';
import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { childEnvironment } from './child-environment.ts';

export const isRoot = process.getuid?.() === 0;
const LOGIN = fileURLToPath(new URL('./login-main.ts', import.meta.url));

/** The result of a login of a process of a user with a connection string. */
function loginAs(uid: number, url: string): string {
  const become = isRoot ? [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'] : [];
  return spawnSync('setpriv', [...become, process.execPath, LOGIN], {
    input: url,
    encoding: 'utf8',
    cwd: '/',
    env: childEnvironment(),
  }).stdout;
}

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}

/** Fails where a process of the server's account can log in without the password, or read it. */
export async function expectLocked(dataDir: string, url: string): Promise<void> {
  const serverAccount = statSync(dataLayout(dataDir).cluster).uid;
  expect(loginAs(serverAccount, url)).toBe('in');
  expect(loginAs(serverAccount, withPassword(url, ''))).toBe(
    'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
  );
  expect(loginAs(serverAccount, withPassword(url, 'wrong'))).toBe('28P01');
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rules = await client.query(
      'select type, array_to_string(database, $1) as database, auth_method from pg_hba_file_rules',
      [','],
    );
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
  const read = spawnSync('setpriv', [
    `--reuid=${serverAccount}`,
    `--regid=${serverAccount}`,
    '--clear-groups',
    'cat',
    password,
  ]);
  if (isRoot) expect(read.status).not.toBe(0);
}
