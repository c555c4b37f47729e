import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withNightly } from '../support/test-runs.ts';
import { nightlyTest } from '../support/nightly-test.ts';
import { SEARCHED_FIELDS } from '../../client/mirror/columns.ts';
import { MIRROR_TABLES } from '../../client/mirror/mirror-tables.ts';
import { randomChanges, randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import type { Installation, Service } from '../support/service.ts';
import { makeSharedInstallation } from '../support/shared-installation.ts';

type Counts = Readonly<Record<string, number>>;

let installation: Installation;
let service: Service;
let key: string;
let database: TestDatabase;
const random = randomFrom(testSeed());
const PLANS = JSON.stringify({
  pro: { requests_per_minute: 1_000_000, burst_limit: 1_000_000, export_requests_per_hour: 1000, max_page_size: 25 },
});

beforeAll(async () => {
  installation = await makeSharedInstallation('civic-replicate-');
  service = await installation.start({ env: { CIVIC_PLANS: PLANS, CIVIC_ABUSE_LIMIT: '1000000/60,1000000/1' } });
  key = await installation.openAccount();
  database = await startTestDatabase();
});

afterAll(async () => {
  await service.stop();
  await installation.close();
  await database.close();
});

async function importSome(count: number): Promise<void> {
  const lines = randomChanges(random, count, 120).map((change) => {
    const { op, resource, id } = change;
    return `${JSON.stringify(change.op === 'upsert' ? { op, resource, id, data: change.content } : { op, resource, id })}\n`;
  });
  const { exitCode, stderr } = await installation.civicHere(['records', 'import', '-'], { input: lines.join('') });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}
const mirror = (to: string, ...more: string[]) =>
  installation.civicHere([
    'replicate',
    '--base-url',
    service.baseUrl,
    '--key',
    key,
    '--to',
    to,
    '--verify',
    '--json',
    ...more,
  ]);

const PLACES = withNightly<[name: string, to: () => string]>(
  [
    ['a folder', () => join(installation.folder, 'mirror')],
    ['a PostgreSQL database', () => database.url],
  ],
  [['a SQLite file', () => `sqlite:${join(installation.folder, 'mirror.db')}`]],
);

test.each(PLACES)('%s is synchronised repeatedly, and its digests are equal each time', async (_, to) => {
  await importSome(150);
  expect(JSON.parse((await mirror(to())).stdout)).toMatchObject({ snapshots: 1, changes: 0, verified: true });
  await importSome(60);
  const again = JSON.parse((await mirror(to())).stdout) as { snapshots: number; changes: number; verified: boolean };
  expect(again).toMatchObject({ snapshots: 0, verified: true });
  expect(again.changes).toBeGreaterThan(0);
});

/** Counts the rows of each table and view, and those that the search finds by the whole text of their first column. */
const ASK_STOCK_SQLITE = `import json, sqlite3, sys
mirror = sqlite3.connect(sys.argv[1])
def ask(sql, *values): return mirror.execute(sql, values).fetchall()
rows = {name: len(ask(f'select * from "{name}"')) for name, in ask("select name from sqlite_master where type in ('table', 'view')")}
found = {}
for index in filter(lambda name: name.endswith("_fts"), rows):
    ask(f"insert into {index} ({index}, rank) values ('integrity-check', 1)")
    phrases = [(row[0], '"' + row[1].replace('"', '""') + '"') for row in ask(f"select rowid, * from {index}")]
    found[index] = sum((row,) in ask(f"select rowid from {index} where {index} match ?", phrase) for row, phrase in phrases)
print(json.dumps({"rows": rows, "found": found, "check": ask("pragma integrity_check")}))`;

nightlyTest.skipIf(spawnSync('python3', ['-c', 'import sqlite3']).status !== 0)(
  'the SQLite of the system reads and searches every table and view of a mirror whose records have changed (needs python3)',
  async () => {
    const file = join(installation.folder, 'mirror.db');
    const result = spawnSync('python3', ['-c', ASK_STOCK_SQLITE, file], { encoding: 'utf8' });
    expect({ status: result.status, stderr: result.stderr }).toEqual({ status: 0, stderr: '' });
    const {
      rows,
      found: matches,
      check,
    } = JSON.parse(result.stdout) as { rows: Counts; found: Counts; check: unknown };
    expect(Object.keys(rows)).toEqual(
      expect.arrayContaining([
        ...Object.keys(MIRROR_TABLES),
        'civic_records',
        'upcoming_items',
        'hits_with_topic',
        'meeting_agendas',
        'spending',
      ]),
    );
    const records = Object.keys(MIRROR_TABLES).map((table) => rows[table]!);
    expect(records.reduce((sum, count) => sum + count)).toBe(rows['civic_records']);
    expect(matches).toEqual(
      Object.fromEntries(Object.keys(SEARCHED_FIELDS).map((table) => [`${table}_fts`, rows[table]])),
    );
    expect(matches['documents_fts']).toBeGreaterThan(10);
    expect(check).toEqual([['ok']]);
  },
);

test('a mirror that is killed repeatedly while records change ends equal to the service', async () => {
  const to = `sqlite:${join(installation.folder, 'killed.db')}`;
  for (let round = 0; round < 4; round += 1) {
    await importSome(80);
    const running = installation.run([
      'replicate',
      '--base-url',
      service.baseUrl,
      '--key',
      key,
      '--to',
      to,
      '--follow',
    ]);
    const importing = importSome(80);
    setTimeout(() => running.kill('SIGKILL'), 350 + round * 120);
    await Promise.all([running.ended, importing]);
  }
  expect(JSON.parse((await mirror(to)).stdout)).toMatchObject({ verified: true });
});

nightlyTest('a following mirror ends cleanly on a signal, and a filtered one contains only its resource', async () => {
  const to = join(installation.folder, 'filtered');
  expect(JSON.parse((await mirror(to, '--resource', 'topics')).stdout)).toMatchObject({ verified: true });
  const fresh = join(installation.folder, 'following');
  const args = ['--base-url', service.baseUrl, '--key', key, '--to', fresh, '--resource', 'topics', '--follow'];
  const running = installation.run(['replicate', ...args]);
  const mirrorState = () => readFile(join(fresh, 'replica.json'), 'utf8').catch(() => '');
  await expect.poll(mirrorState).toContain('"phase":"changes"');
  running.kill('SIGTERM');
  const { exitCode, stderr } = await running.ended;
  expect({ exitCode, stderr }).toEqual({
    exitCode: 130,
    stderr: expect.stringMatching(/^civic: stopped by SIGTERM\n$/) as unknown,
  });
});

nightlyTest('a refused key and an unreachable address are one line each', async () => {
  const refused = await installation.civic([
    'replicate',
    '--base-url',
    service.baseUrl,
    '--key',
    'crs_wrong',
    '--to',
    'x',
  ]);
  expect(refused).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^civic: 401 unauthorized: [^\n]+\n$/) as unknown,
  });
  const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const elsewhere = await installation.civic([
    'replicate',
    '--base-url',
    `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    '--key',
    key,
    '--to',
    'x',
  ]);
  other.close();
  expect(elsewhere).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^civic: the answer is not JSON[^\n]+\n$/) as unknown,
  });
});
