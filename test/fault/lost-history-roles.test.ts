import { setTimeout as after } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  copyTestDatabase,
  replaceTestDatabase,
  startTestDatabase,
  type TestDatabase,
} from '../support/embedded-database.ts';
import { importTopics, readTopics, topicLines, topicNames } from '../support/numbered-topics.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';
import { untilTrue } from '../support/until-reached.ts';

let database: TestDatabase;
let installation: Installation;
let api: Service;
let projector: Service;
let key: string;
const cursors = { kept: '', lost: '' };

const write = (prefix: string, count: number) => importTopics(installation, prefix, count);
const read = (cursor: string) => readTopics(api, key, cursor);
async function readyz() {
  const answer = await fetch(`${api.opsUrl}/readyz`);
  const { checks } = (await answer.json()) as {
    readonly checks: readonly { readonly name: string; readonly ok: boolean }[];
  };
  return { status: answer.status, failed: checks.filter(({ ok }) => !ok).map(({ name }) => name) };
}
async function health() {
  const answer = await api.fetch('/api/v1/data/health', { key });
  const { data } = (await answer.json()) as { readonly data?: { readonly status: string } };
  return data?.status;
}

describe('a process of the role api beside a projector, whose database is replaced by an older one', () => {
  beforeAll(async () => {
    database = await startTestDatabase();
    installation = makeInstallation('civic-lost-roles-', { DATABASE_URL: database.url });
    key = await installation.openAccount();
    projector = await installation.start({ role: 'projector' });
    await write('kept', 100);
    await projector.stop();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const count = async () => Number((await client.query(`select count(*) from civic.events`)).rows[0].count);
    // The log of the standby has these events, its read models do not.
    await client.query('update civic.generations set operator_paused_at = 1');
    const before = await count();
    const importing = installation.run(['records', 'import', '-'], { input: topicLines('behind', 50) });
    await untilTrue('the log has them', async () => (await count()) >= before + 50);
    importing.kill('SIGKILL');
    await importing.ended;
    await client.query('update civic.generations set operator_paused_at = null');
    // The copy has another OID on the same server, which a start would take for a move.
    await client.query(`update civic.installation set database = ''`);
    await client.end();
    const standby = await copyTestDatabase(database);
    [api, projector] = await Promise.all([
      installation.start({ role: 'api' }),
      installation.start({ role: 'projector' }),
    ]);
    await write('lost', 200);
    cursors.kept = (await read('')).next;
    await untilTrue(
      'the changes are served',
      async () => (await read(cursors.kept)).names.length === 0 && (await read('')).names.length === 350,
    );
    cursors.lost = (await read('')).next;
    await untilTrue('it is ready', async () => (await readyz()).status === 200);
    // One read, so that the process knows the state of its read models.
    await after(2_500);
    await projector.stop();
    await replaceTestDatabase(database, standby);
  });

  afterAll(async () => {
    await api?.stop();
    await projector?.stop();
    await installation?.close();
    await database?.close();
  });

  test('is not ready and not healthy while no projector folds the log of the older database', async () => {
    await untilTrue('it has noticed', async () => (await readyz()).failed.includes('history'));
    expect((await readyz()).status).toBe(503);
    await untilTrue('it answers again', async () => (await health()) !== undefined);
    expect(await health()).toBe('degraded');
  });

  test('is ready once a projector has caught up, and refuses the cursor of lost history', async () => {
    projector = await installation.start({ role: 'projector' });
    await untilTrue('it is ready', async () => (await readyz()).status === 200);
    expect(await health()).toBe('healthy');
    expect((await read('')).names).toEqual([...topicNames('kept', 100), ...topicNames('behind', 50)]);
    expect((await read(cursors.lost)).status).toBe(410);
    expect(await (await fetch(`${api.opsUrl}/metrics`)).text()).toMatch(/^civic_history_set_back_total 1$/m);
  });
});
