import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { upsert } from '../support/civic-records.ts';
import { postmasterOf, processesOf, startUser, temporaryFolder } from '../support/embedded-users.ts';
import { valueOf } from '../support/inlet.ts';
import { makeInstallation } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

/** Mounts a small file system in memory, which only root may, and not in every container. */
function mountSmall(folder: string, size: string): boolean {
  mkdirSync(folder);
  return (
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder], { stdio: 'ignore' }).status ===
    0
  );
}

let folder: string;
let dataDir: string;

function onDisk(size: string, skip: (note: string) => void): void {
  const disk = join(folder, 'disk');
  if (!mountSmall(disk, size))
    skip('needs the right to mount a tmpfs: run as root, in a container with --cap-add SYS_ADMIN');
  dataDir = join(disk, 'data');
}

beforeEach(() => {
  folder = temporaryFolder();
  dataDir = folder;
});

afterEach(async () => {
  await untilTrue('nothing runs', () => processesOf(dataDir).length === 0);
  const disk = join(folder, 'disk');
  await untilTrue(
    'the disk is free',
    () => spawnSync('mountpoint', ['-q', disk]).status !== 0 || spawnSync('umount', [disk]).status === 0,
  );
  rmSync(folder, { recursive: true, force: true });
});

test('a first start on a full disk is refused with one line that names the disk', async ({ skip }) => {
  onDisk('1m', skip);
  const { refused } = await startUser({ dataDir, role: 'service' }).next();
  expect(refused).toMatch(/the disk of .* is full: free some space/);
  expect(refused).not.toContain('\n');
});

test('a start on a full disk is refused with one line; with free space every committed row is back', async ({
  skip,
}) => {
  onDisk('64m', skip);
  const first = startUser({ dataDir, role: 'service' });
  await first.next();
  expect(await first.ask('insert')).toEqual({ count: 1 });
  await first.ask('leave');
  const filler = join(folder, 'disk', 'filler');
  fill(filler);
  const { refused } = await startUser({ dataDir, role: 'service' }).next();
  expect(refused).toMatch(/the disk of .* is full: free some space/);
  expect(refused).not.toContain('\n');
  rmSync(filler);
  const third = startUser({ dataDir, role: 'service' });
  await third.next();
  expect(await third.ask('count')).toEqual({ count: 1 });
  await third.ask('leave');
});

test('an import on a full disk reports it, and that the import can be repeated', async ({ skip }) => {
  // Enough space for a clean report of the doctor before it is full.
  onDisk('400m', skip);
  const installation = makeInstallation('civic-full-disk-', { CIVIC_DATA_DIR: dataDir }, 'bare');
  const lines = (from: number): string =>
    Array.from({ length: 1_000 }, (_, index) => `${changeLine(from + index)}\n`).join('');
  try {
    const running = installation.run(['records', 'import', '-'], { input: { startsWith: lines(0) } });
    const { id } = upsert('documents', 0, 1);
    await untilTrue(
      'it has stored some',
      async () => (await installation.civicHere(['records', 'history', id])).exitCode === 0,
      {
        tell: async () =>
          JSON.stringify(await Promise.race([running.ended, installation.civicHere(['records', 'history', id])])),
      },
    );
    const filler = join(folder, 'disk', 'filler');
    fill(filler);
    process.kill(postmasterOf(dataDir), 'SIGKILL');
    running.child.stdin!.end(lines(1_000));
    expect(await running.ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /the import stopped: .*\d MB free at .*: free disk space.*; run the same import again, which is safe/,
      ),
    });
    rmSync(filler);
    const again = await installation.civic(['records', 'import', '-'], { input: `${lines(0)}${lines(1_000)}` });
    expect(again.exitCode).toBe(0);
  } finally {
    await installation.close();
  }
});

const changeLine = (number: number): string => valueOf(upsert('documents', number, 1));

function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(65_536), { flag: 'a' });
  } catch {
    // It is full now.
  }
}
