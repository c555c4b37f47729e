import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { installClientPackage, oldestNode } from '../support/client-package.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { CHECKOUT } from '../support/production-tree.ts';
import { type Environment, type Installation, plainEnvironment, runProgram, type Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

/** If the machine has no Node without `node:sqlite`, the current one runs with it disabled. */
const OLD = oldestNode() === process.execPath ? [process.execPath, '--no-experimental-sqlite'] : [oldestNode()];
const PRESENT = [process.execPath];

let installation: Installation;
let service: Service;
let customer: string;
let database: TestDatabase;

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-client-replicate-');
  customer = installClientPackage(installation.folder);
  service = await installation.start({ sample: 'on' });
  database = await startTestDatabase();
});

afterAll(async () => {
  await service.stop();
  await installation.close();
  await database.close();
});

const start = (
  node: readonly string[],
  args: readonly string[],
  env: Environment = { CIVIC_API_KEY: service.key ?? '' },
) =>
  runProgram([...node, 'node_modules/.bin/civic-replicate', ...args], {
    cwd: customer,
    env: { ...plainEnvironment(), ...env },
  });
/** Result of a command, without the progress lines that a slow one prints. */
async function run(...args: Parameters<typeof start>) {
  const ended = await start(...args).ended;
  return { ...ended, stderr: ended.stderr.replaceAll(/^civic-replicate: \d+ records?\n/gm, '') };
}
const replicate = (node: readonly string[], to: string, ...more: string[]) =>
  run(node, ['--base-url', service.baseUrl, '--to', to, '--verify', ...more]);

test('the command of the package keeps a copy in SQLite that equals the service and continues', async () => {
  const first = await replicate(PRESENT, 'sqlite:mirror.db');
  expect({ ...first, stdout: JSON.parse(first.stdout) as unknown }).toMatchObject({
    exitCode: 0,
    stderr: '',
    stdout: { snapshots: 1, changes: 0, verified: true },
  });
  const again = await replicate(PRESENT, 'sqlite:mirror.db');
  expect(JSON.parse(again.stdout)).toEqual({ snapshots: 0, records: 0, changes: 0, verified: true });
  const mirror = new DatabaseSync(join(customer, 'mirror.db'), { readOnly: true });
  const { records } = JSON.parse(first.stdout) as { records: number };
  expect(mirror.prepare('select count(*) as records from civic_records').get()).toMatchObject({ records });
  expect(mirror.prepare('select count(*) as topics from topics').get()).toMatchObject({
    topics: expect.toSatisfy((count: number) => count > 7) as unknown,
  });
  mirror.close();
});

nightlyTest('a Node without node:sqlite gets one line with the reason, and keeps a copy in a folder', async () => {
  expect(await replicate(OLD, 'sqlite:old.db')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^civic-replicate: sqlite: needs Node\.js 22\.13 or newer, which has node:sqlite; this is v[^\n]+\n$/,
    ) as unknown,
  });
  expect(readdirSync(customer).filter((name) => name.startsWith('old.db'))).toEqual([]);
  const inFolder = await replicate(OLD, 'folder', '--format', 'csv');
  expect({ exitCode: inFolder.exitCode, stderr: inFolder.stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(inFolder.stdout)).toMatchObject({ snapshots: 1, verified: true });
  const ofOne = await replicate(OLD, 'of-one', '--format', 'csv', '--resource', 'topics');
  expect(JSON.parse(ofOne.stdout)).toMatchObject({ snapshots: 1, verified: true });
  expect(readdirSync(join(customer, 'of-one')).toSorted()).toEqual(['replica.json', 'topics.csv', 'topics.ndjson']);
  // Files of other resources must not remain in the folder, where no erasure would reach them.
  const bodies = () => readFileSync(join(customer, 'folder', 'public_bodies.ndjson'), 'utf8');
  expect(bodies()).not.toBe('');
  await replicate(OLD, 'folder', '--resource', 'topics', '--new-snapshot');
  expect(bodies()).toBe('');
});

test('PostgreSQL needs the package pg, and works with it on Node 20 too', async () => {
  expect(await replicate(OLD, database.url)).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: 'civic-replicate: postgres: needs the package pg, which is not installed: run "npm install pg"\n',
  });
  symlinkSync(join(CHECKOUT, 'node_modules/pg'), join(customer, 'node_modules/pg'));
  const outcome = await replicate(OLD, database.url);
  expect({ exitCode: outcome.exitCode, stderr: outcome.stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ snapshots: 1, verified: true });
});

nightlyTest('a following copy ends by a signal', async () => {
  const running = start(PRESENT, ['--base-url', service.baseUrl, '--to', 'following', '--follow']);
  await expect.poll(() => readdirSync(customer)).toContain('following');
  await expect.poll(() => readdirSync(join(customer, 'following'))).toContain('topics.ndjson');
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({
    exitCode: 130,
    stdout: '',
    stderr: expect.stringMatching(
      /^(civic-replicate: \d+ records?\n)*civic-replicate: stopped by SIGTERM\n$/,
    ) as unknown,
  });
});

test.each([
  [['--nothing'], 2, /Unknown option '--nothing'/],
  [['--to', 'x'], 2, /--base-url is needed; --help lists the options/],
  [
    ['--base-url', 'x', '--to', 'x', '--resource', 'people'],
    2,
    /--resource must be one of jurisdictions, .*; got "people"/,
  ],
  [['--base-url', 'records.test', '--to', 'x'], 1, /the base URL must be an address such as .*, not "records.test"/],
  [['--base-url', 'http://127.0.0.1:9', '--to', 'mysql://x'], 1, /a mirror cannot be stored in mysql:; allowed are/],
  [['--base-url', 'http://127.0.0.1:9', '--to', 'x', '--key-file', '/nonexistent'], 1, /'\/nonexistent'/],
])('arguments %j are refused in one line with status %d', async (args, exitCode, message) => {
  const ended = await run(PRESENT, args, { CIVIC_API_KEY: 'crs_secret' });
  expect(ended).toMatchObject({
    exitCode,
    stdout: '',
    stderr: expect.stringMatching(/^civic-replicate: [^\n]+\n$/) as unknown,
  });
  expect(ended.stderr).toMatch(message);
});

test('a key is taken from a file, is needed, and is shown in no refusal', async () => {
  writeFileSync(join(customer, 'key.txt'), 'crs_secret\u00e9\n');
  const args = ['--base-url', service.baseUrl, '--to', 'no'];
  const wrong = await run(PRESENT, [...args, '--key-file', 'key.txt']);
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.not.stringContaining('crs_secret') as unknown });
  expect((await run(PRESENT, args, {})).stderr).toBe(
    'civic-replicate: a key is needed: set CIVIC_API_KEY, or name a file with --key-file\n',
  );
  expect((await run(PRESENT, args, { CIVIC_API_KEY: 'crs_wrong' })).stderr).toMatch(
    /^civic-replicate: 401 unauthorized: [^\n]+\n$/,
  );
  writeFileSync(join(customer, 'key.txt'), `${service.key}\n`);
  expect(await run(PRESENT, [...args, '--key-file', 'key.txt'])).toMatchObject({ exitCode: 0, stderr: '' });
});
