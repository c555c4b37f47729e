import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataLayout, type DataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { limitServerLog } from '../../infra/embedded-postgresql/server-log.ts';
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
