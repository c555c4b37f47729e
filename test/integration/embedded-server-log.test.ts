import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataLayout, type DataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { takeLock } from '../../infra/embedded-postgresql/run-directory.ts';
import { limitServerLog } from '../../infra/embedded-postgresql/start-server.ts';
import { temporaryFolder } from '../support/embedded-users.ts';

const USER = fileURLToPath(new URL('../support/server-log-main.ts', import.meta.url));
const LIMIT = 4 * 1024 * 1024;
const LINE = `${'x'.repeat(99)}\n`;
const LONG = LINE.repeat(LIMIT / LINE.length + 1);
let folder: string;
let layout: DataLayout;
let rotated: string;

beforeEach(() => {
  folder = temporaryFolder();
  layout = dataLayout(folder);
  rotated = `${layout.serverLog}.1`;
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the log of the server is moved beyond its limit, in place of the one that was moved before', () => {
  writeFileSync(layout.serverLog, LONG.slice(0, LIMIT));
  limitServerLog(layout);
  expect(existsSync(rotated)).toBe(false);
  for (const last of ['first\n', 'second\n']) {
    writeFileSync(layout.serverLog, LONG + last);
    const { ino } = statSync(layout.serverLog);
    limitServerLog(layout);
    expect(readFileSync(rotated, 'utf8')).toBe(LONG + last);
    expect(statSync(rotated).mode & 0o777).toBe(0o600);
    expect(statSync(layout.serverLog)).toMatchObject({ ino, size: 0 });
  }
});

test('a log that another user moves is left to it', () => {
  writeFileSync(layout.serverLog, LONG);
  const other = takeLock(layout.serverLog)!;
  limitServerLog(layout);
  expect(statSync(layout.serverLog).size).toBe(LONG.length);
  closeSync(other);
  limitServerLog(layout);
  expect(statSync(layout.serverLog).size).toBe(0);
});

test('a log that cannot be copied stays', () => {
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, LONG);
  symlinkSync(elsewhere, layout.serverLog);
  limitServerLog(layout);
  expect(statSync(elsewhere).size).toBe(LONG.length);
});

test('a log that finds no room is not copied in part', async () => {
  writeFileSync(layout.serverLog, LONG);
  // Half as much as the log, in blocks of 512 bytes.
  const limited = `ulimit -f ${LIMIT / 1024}; exec "$0" "$@"`;
  const user = spawn('sh', ['-c', limited, process.execPath, USER, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(user, 'exit');
  user.stdin.end();
  user.stdout.resume();
  expect(await ended).toEqual([0, null]);
  expect(existsSync(rotated)).toBe(false);
  expect(statSync(layout.serverLog).size).toBe(LONG.length);
});

test('users that look at the same moment all go on, and the moved log is whole', async () => {
  writeFileSync(layout.serverLog, '');
  const users = [1, 2, 3].map(() => spawn(process.execPath, [USER, folder], { stdio: ['pipe', 'pipe', 'inherit'] }));
  await Promise.all(users.map(({ stdout }) => once(stdout, 'data')));
  for (let turn = 0; turn < 40; turn++) {
    const text = `${turn}\n${LONG}`;
    appendFileSync(layout.serverLog, text);
    while (statSync(layout.serverLog).size > 0) await after(1);
    expect(readFileSync(rotated, 'utf8') === text, `of turn ${turn}`).toBe(true);
  }
  const ended = users.map((user) => once(user, 'exit'));
  for (const { stdin } of users) stdin.end();
  expect(await Promise.all(ended)).toEqual(users.map(() => [0, null]));
});
