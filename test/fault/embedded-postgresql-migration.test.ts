import { spawnSync } from 'node:child_process';
import { chownSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataLayout } from '../../infra/embedded-postgresql/data-directory.ts';
import { type EmbeddedUser, gone, processesOf, startUser, temporaryFolder } from '../support/embedded-users.ts';
import { makeTrustingCluster, NOBODY, uidOf } from '../support/trusting-cluster.ts';

let folder: string;
let dataDir: string;
let users: EmbeddedUser[];

function start(): EmbeddedUser {
  const user = startUser({ dataDir, role: 'service' });
  users.push(user);
  return user;
}

/** A start finds the row of the old version and takes a connection with the stored password. */
async function expectWhole(): Promise<void> {
  const next = start();
  expect(await next.next()).toHaveProperty('url');
  expect(await next.ask('count')).toEqual({ count: 1 });
  expect(await next.ask('leave')).toEqual({ left: true });
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

test('a killed migration of an old data directory is completed by the next start', { timeout: 300_000 }, async () => {
  const old = join(folder, 'old');
  makeTrustingCluster(old);
  for (const moment of [0, 60, 120, 180, 260, 360, 500]) {
    rmSync(dataDir, { recursive: true, force: true });
    spawnSync('cp', ['-a', old, dataDir]);
    const interrupted = start();
    const ready = interrupted.next();
    while (processesOf(dataDir).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    // The kill falls into the start of the supervisor, the change of owner or password, or the start of the server.
    await new Promise((resolve) => setTimeout(resolve, moment));
    for (const { pid } of processesOf(dataDir)) spawnSync('kill', ['-9', String(pid)]);
    await interrupted.kill();
    await ready;
    await expectWhole();
  }
});

test.each([
  ['half of the files handed over', true, () => halfHandedOver()],
  ['the password set and not stored', false, () => rmSync(dataLayout(dataDir).password)],
  ['empty access rules', false, () => writeFileSync(join(dataLayout(dataDir).cluster, 'pg_hba.conf'), '')],
  ['rules of another password', false, () => writeFileSync(dataLayout(dataDir).password, `${'a'.repeat(43)}\n`)],
  ['an unfinished file of the password', false, () => writeFileSync(`${dataLayout(dataDir).password}.unfinished`, 'a')],
])('a start completes a migration that was interrupted with %s', async (_state, before, cutShort) => {
  makeTrustingCluster(dataDir);
  if (!before) await expectWhole();
  cutShort();
  await expectWhole();
});

function halfHandedOver(): void {
  if (process.getuid?.() !== 0) return;
  const { cluster } = dataLayout(dataDir);
  expect(statSync(cluster).uid).toBe(NOBODY);
  for (const name of readdirSync(cluster).filter((_name, nth) => nth % 2 === 0))
    chownSync(join(cluster, name), uidOf('postgres') ?? NOBODY, NOBODY);
}
