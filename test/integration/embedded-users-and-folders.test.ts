import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UserStart } from '../support/embedded-users.ts';
import { gone, processesOf, startUser, temporaryFolder } from '../support/embedded-users.ts';

const root = process.getuid?.() === 0;
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
const namespaces = spawnSync('unshare', ['--user', 'true']).status === 0;
const why = 'needs root, to become other users';
let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
});

afterEach(async () => gone(dataDir, folder));

/** Starts, commits a row, stops, and reads the row again. */
async function worksTwice(start: Omit<UserStart, 'dataDir' | 'role'>): Promise<void> {
  for (const count of [1, 2]) {
    const user = startUser({ dataDir, role: 'service', ...start });
    expect(await user.next()).toHaveProperty('url');
    expect(await user.ask('insert')).toEqual({ count });
    expect(await user.ask('leave')).toEqual({ left: true });
    expect(processesOf(dataDir)).toEqual([]);
  }
}

test('an ordinary user runs the server without a right of root', async ({ skip }) => {
  if (!root) skip('the other tests run as an ordinary user here');
  mkdirSync(dataDir);
  chownSync(dataDir, 65534, 65534);
  await worksTwice({ prefix: asNobody });
  expect(statSync(join(dataDir, 'postgresql')).uid).toBe(65534);
  expect(statSync(join(dataDir, 'database-password'))).toMatchObject({ uid: 65534, mode: 0o100600 });
});

test('root and an ordinary user run the server in turn on the folder of that user', async ({ skip }) => {
  if (!root) skip(why);
  mkdirSync(dataDir);
  chownSync(dataDir, 65534, 65534);
  for (const [turn, prefix] of [[], asNobody, [], asNobody].entries()) {
    const user = startUser({ dataDir, role: 'service', prefix });
    expect(await user.next()).toHaveProperty('url');
    expect(await user.ask('insert')).toEqual({ count: turn + 1 });
    await user.ask('leave');
  }
});

test('root writes through no link that the owner of the folder has put in place of the log', async ({ skip }) => {
  if (!root) skip(why);
  mkdirSync(dataDir);
  chownSync(dataDir, 65534, 65534);
  const owner = startUser({ dataDir, role: 'command', prefix: asNobody });
  await owner.next();
  await owner.ask('leave');
  const other = join(folder, 'other');
  writeFileSync(other, 'unchanged');
  rmSync(join(dataDir, 'postgresql.log'));
  symlinkSync(other, join(dataDir, 'postgresql.log'));
  expect((await startUser({ dataDir, role: 'command' }).next()).refused).toMatch(/ELOOP/);
  expect(readFileSync(other, 'utf8')).toBe('unchanged');
});

test('a folder of another user is refused with one line that names the owner', async ({ skip }) => {
  if (!root) skip(why);
  mkdirSync(dataDir, { mode: 0o755 });
  const { refused } = await startUser({ dataDir, role: 'service', prefix: asNobody }).next();
  expect(refused).toMatch(/cannot be used by user 65534, it belongs to user 0: start as its owner, or set CIVIC_DATA_DIR/);
});

test('an ordinary user cannot use the server of root', async ({ skip }) => {
  if (!root) skip(why);
  const service = startUser({ dataDir, role: 'service' });
  await service.next();
  const { refused } = await startUser({ dataDir, role: 'command', prefix: asNobody }).next();
  expect(refused).toMatch(/cannot be used by user 65534/);
  await service.ask('leave');
});

test('root runs the server in a folder that no other user may enter', async ({ skip }) => {
  if (!root) skip(why);
  if (!namespaces) skip('needs user namespaces; the next test covers machines without them');
  chmodSync(folder, 0o700);
  await worksTwice({});
});

test('root runs the server in such a folder also without user namespaces', async ({ skip }) => {
  if (!root) skip(why);
  chmodSync(folder, 0o700);
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  await worksTwice({ env: { PATH: `${programs}:${process.env['PATH'] ?? ''}` } });
  const again = startUser({ dataDir, role: 'service' });
  await again.next();
  expect(await again.ask('count')).toEqual({ count: 2 });
  await again.ask('leave');
});
