import { setTimeout as after } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  copyTestDatabase,
  replaceTestDatabase,
  startTestDatabase,
  type TestDatabase,
} from '../support/embedded-database.ts';
import { importTopics, readTopics, topicNames } from '../support/numbered-topics.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

/** The longest delay of new changes after lost history, in milliseconds, on a busy machine. */
const PATIENCE_MS = 120_000;

let database: TestDatabase;
let installation: Installation;
let service: Service;
let key: string;
const cursors = { kept: '', lost: '' };

const write = (prefix: string, count: number) => importTopics(installation, prefix, count);
const read = (cursor: string) => readTopics(service, key, cursor);
async function doctor() {
  const { stdout } = await installation.civicHere(['doctor', '--json']);
  const findings = JSON.parse(stdout) as readonly { check: string; state: string; found: string }[];
  return findings.find(({ check }) => check === 'history');
}

describe('a running service whose database is replaced by an older one, as by a promoted standby', () => {
  beforeAll(async () => {
    database = await startTestDatabase();
    installation = makeInstallation('civic-lost-', { DATABASE_URL: database.url });
    key = await installation.openAccount();
    service = await installation.start();
    await write('kept', 100);
    await service.stop();
    // The copy has another OID on the same server, which a start would take for a move.
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`update civic.installation set database = ''`);
    await client.end();
    const standby = await copyTestDatabase(database);
    service = await installation.start();
    cursors.kept = (await read('')).next;
    await write('lost', 200);
    const served = await read(cursors.kept);
    if (served.names.length !== 200)
      throw new Error(`${served.names.length} of the changes that are to be lost were served`);
    cursors.lost = served.next;
    await replaceTestDatabase(database, standby);
  });

  afterAll(async () => {
    await service?.stop();
    await installation?.close();
    await database?.close();
  });

  test('shows new changes while the log is shorter than it was', async () => {
    await write('new', 100);
    const from = performance.now();
    let ids: readonly string[] = [];
    while (ids.length < 100 && performance.now() - from < PATIENCE_MS) {
      ids = (await read(cursors.kept)).names;
      await after(50);
    }
    expect(ids).toEqual(topicNames('new', 100));
  });

  test('refuses a cursor of lost history, also when the feed is longer again, and accepts an earlier one', async () => {
    expect((await read(cursors.lost)).status).toBe(410);
    await write('newer', 300);
    await untilTrue('the changes appear', async () => (await read(cursors.kept)).names.length === 400);
    expect((await read(cursors.lost)).status).toBe(410);
    expect((await read(cursors.kept)).names).toEqual([...topicNames('new', 100), ...topicNames('newer', 300)]);
  });

  test('is ready again, has counted it, and shows it to operators until they acknowledge it', async () => {
    await untilTrue('it is ready', async () => (await fetch(`${service.opsUrl}/readyz`)).status === 200);
    expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(/^civic_history_set_back_total 1$/m);
    expect(await doctor()).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/set back from \d+ to \d+/),
    });
    const state = (await (await fetch(`${service.opsUrl}/ops/state`)).json()) as {
      problems: readonly { text: string }[];
    };
    expect(state.problems.map(({ text }) => text).join()).toMatch(/log was set back from \d+ to \d+/);
    const { stdout } = await installation.civicHere(['feed', 'acknowledge', '--json']);
    expect(JSON.parse(stdout)).toEqual({ acknowledged: 1 });
    expect(await doctor()).toMatchObject({ state: 'ok' });
  });

  test('has read models that match its log, and one line of an error', async () => {
    const verified = await installation.civicHere(['projections', 'verify', '--all', '--json']);
    const results = JSON.parse(verified.stdout) as { name: string; equal: boolean }[];
    expect(results.filter(({ equal }) => !equal)).toEqual([]);
    const { stderr } = await service.stop();
    expect(
      stderr.split('\n').filter((line) => line.includes('has lost history that this process has read')),
    ).toHaveLength(1);
  });
});
