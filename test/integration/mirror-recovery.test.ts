import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compareMirror, firstDifference } from '../../client/mirror/compare-mirror.ts';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import { recordId, upsert } from '../support/civic-records.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { FeedService } from '../support/feed-service.ts';
import { runMirror } from '../support/run-mirror.ts';
import { type Installation, makeInstallation, type Service } from '../support/service.ts';

const NAME = 'Wexford Quillfeather';
const SECRET = recordId('documents', 1);
const GONE = recordId('documents', 2);
/** Line that the command prints when it takes a new snapshot. */
const RESTARTED = /^warning: .*; starting again from a snapshot; .*\n/gm;

describe('a replica that was off for longer than the retention', () => {
  let databases: TestDatabase[];
  let installation: Installation;
  let service: Service;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    databases = [await startTestDatabase(), await startTestDatabase()];
    installation = makeInstallation('civic-recovery-', {
      DATABASE_URL: databases[0]!.url,
      CIVIC_REPLAY_RETENTION: 'PT1S',
    });
    service = await installation.start();
    env = { CIVIC_API_KEY: await installation.openAccount() };
  });
  afterAll(async () => {
    await service?.stop();
    await installation?.close();
    for (const database of databases) await database.close();
  });

  const runSucceeding = async (args: readonly string[], input = ''): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await installation.civicHere([...args, '--json'], { env, input });
    expect({ exitCode, stderr: stderr.replaceAll(RESTARTED, '') }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const importing = (...changes: object[]) =>
    runSucceeding(['records', 'import', '-'], `${changes.map((line) => JSON.stringify(line)).join('\n')}\n`);
  const mirror = (to: string, ...more: string[]) =>
    runSucceeding(['replicate', '--base-url', service.baseUrl, '--to', to, '--verify', ...more]);
  const titled = (id: string, title: string) => ({
    op: 'upsert',
    resource: 'documents',
    id,
    data: { kind: 'other', title, url: 'https://example.org/d' },
  });
  const targets = () => [
    join(installation.folder, 'mirror'),
    `sqlite:${join(installation.folder, 'mirror.db')}`,
    databases[1]!.url,
  ];
  const bytes = () =>
    readdirSync(installation.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && `${entry.parentPath}/${entry.name}`.includes('mirror'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
  const inPostgres = async (): Promise<readonly unknown[]> => {
    const client = new Client({ connectionString: databases[1]!.url });
    await client.connect();
    const { rows } = await client.query<{ id: string; title: string }>(
      'select id::text, title, data::text from documents order by title',
    );
    await client.end();
    return rows.map(({ id, title }) => [id, title]);
  };

  test('recovers by itself: rows that are gone are removed, and no byte of an erased text is left', async () => {
    await importing(
      titled(SECRET, `Claim of ${NAME}`),
      titled(GONE, 'Published by mistake'),
      titled(recordId('documents', 3), 'Stays'),
    );
    let cursor = '';
    for (const to of targets()) ({ cursor } = (await mirror(to)) as { cursor: string });
    expect(bytes()).toContain(NAME);
    expect(bytes()).toContain(GONE);

    await runSucceeding([
      'erase',
      'record',
      SECRET,
      '--text',
      NAME,
      '--with',
      '[removed]',
      '--reason',
      'personal_data',
      '--no-vacuum',
      '--yes',
    ]);
    await importing({ op: 'remove', resource: 'documents', id: GONE });
    const statusOf = async () =>
      (await service.fetch(`/api/v1/data/changes?cursor=${cursor}`, { key: env['CIVIC_API_KEY']! })).status;
    await expect.poll(statusOf).toBe(410);

    for (const to of targets()) expect(await mirror(to)).toMatchObject({ snapshots: 1, verified: true });
    expect(bytes()).not.toContain(NAME);
    expect(bytes()).not.toContain(GONE);
    expect(bytes()).toContain('Claim of [removed]');
    expect(await inPostgres()).toEqual([
      [SECRET, 'Claim of [removed]'],
      [recordId('documents', 3), 'Stays'],
    ]);
  });

  test('a mirror that was changed names the first record that differs and the remedy, which repairs it', async () => {
    const file = join(installation.folder, 'changed.db');
    await mirror(`sqlite:${file}`);
    const changed = new DatabaseSync(file);
    changed.prepare(`update documents set data = json_set(data, '$.title', 'Changed') where id = ?`).run(SECRET);
    changed.close();
    const args = ['replicate', '--base-url', service.baseUrl, '--to', `sqlite:${file}`, '--verify'];
    const { exitCode, stderr } = await installation.civicHere(args, { env });
    expect({ exitCode, stderr: stderr.replaceAll(RESTARTED, '') }).toEqual({
      exitCode: 1,
      stderr:
        `civic: the mirror differs from the service in documents; the first record of documents that differs: ${SECRET} differs in title; ` +
        'run the same command with --new-snapshot to replace what differs\n',
    });
    expect(await mirror(`sqlite:${file}`, '--new-snapshot')).toMatchObject({ snapshots: 1, verified: true });
  });

  test('a key is taken from the environment or a file, and its lack is refused with all three ways', async () => {
    const base = ['replicate', '--base-url', service.baseUrl, '--to', join(installation.folder, 'by-file')];
    const none = await installation.civicHere(base);
    expect(none).toMatchObject({
      exitCode: 2,
      stderr: 'civic: give the key by CIVIC_API_KEY, by --key-file or by --key\n',
    });
    const file = join(installation.folder, 'key');
    writeFileSync(file, `${env['CIVIC_API_KEY']!}\n`);
    const wrong = { CIVIC_API_KEY: 'crs_wrong' };
    expect(await installation.civicHere([...base, '--key-file', file], { env: wrong })).toMatchObject({ exitCode: 0 });
  });
});

describe('the first record that differs', () => {
  const write = (service: FeedService, number: number, variant: number): void => {
    const { resource, id, content } = upsert('topics', number, variant) as {
      resource: string;
      id: string;
      content: object;
    };
    service.write(resource, id, { ...content });
  };
  const ID = (number: number) => recordId('topics', number);

  test.each([
    ['is missing', (other: FeedService) => other.write('topics', ID(2), null), `${ID(2)} is missing in the mirror`],
    [
      'is another',
      (other: FeedService) => write(other, 2, 7),
      `${ID(2)} differs in description, keywords, name, selectable, slug`,
    ],
    ['is missing at the service', (other: FeedService) => write(other, 4, 4), `the service does not have ${ID(4)}`],
  ])('%s', async (_, change, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
    const [service, other] = [new FeedService(2), new FeedService(2)];
    other.feedId = service.feedId;
    for (const one of [service, other]) for (const number of [1, 2, 3]) write(one, number, number);
    change(other);
    service.write('meetings', recordId('documents', 1), {});
    const store = await openMirrorStore(folder);
    const { cursor } = await runMirror(other, store);
    expect((await compareMirror(store, service.digests(4), 'topics')).equal).toBe(false);
    expect(await firstDifference(service.ask, store, 'topics', cursor)).toBe(message);
    service.write('meetings', recordId('documents', 1), null);
    expect(await firstDifference(service.ask, store, 'topics', cursor)).toBeNull();
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

describe('an answer that was damaged on its way', () => {
  test('is read again: a page of an earlier request, and a snapshot with a page twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
    const service = new FeedService(2);
    for (let number = 0; number < 8; number += 1) service.write('topics', recordId('topics', number), { number });
    const notices: string[] = [];
    const repeating = (kind: '/topics?' | '/changes?', times: number): Pick<FeedService, 'ask'> => {
      let former: unknown;
      let failuresLeft = times;
      return {
        async ask(path, method) {
          if (!path.includes(kind)) return service.ask(path, method);
          if (former !== undefined && failuresLeft > 0) {
            failuresLeft -= 1;
            return former as never;
          }
          const answer = await service.ask(path, method);
          former ??= answer;
          return answer as never;
        },
      };
    };
    const store = await openMirrorStore(folder);
    expect(await runMirror(repeating('/topics?', 1), store)).toMatchObject({ snapshots: 2 });
    for (let number = 0; number < 5; number += 1) service.write('topics', recordId('topics', number), null);
    await runMirror(repeating('/changes?', 2), store, { onUnfitPage: (reason) => notices.push(reason) });
    expect(notices).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/^feed position 9 came after 10/) as unknown),
    );
    expect(await compareMirror(store, service.digests(13), null)).toMatchObject({ equal: true });
    for (let number = 0; number < 6; number += 1) service.write('topics', recordId('topics', number), { number });
    await expect(runMirror(repeating('/changes?', 9), store)).rejects.toThrow(/came after|follows a page/);
    await store.close();
    rmSync(folder, { recursive: true });
  });

  test('the digest that a snapshot page gives after an erasure counts, in place of that of the snapshot', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
    const service = new FeedService(2);
    service.write('topics', recordId('topics', 1), { text: NAME });
    const erased = new FeedService(2);
    erased.write('topics', recordId('topics', 1), { text: '' });
    const ask: FeedService['ask'] = async (path, method) => {
      const answer = await service.ask<{ data: { items: object[] }; meta: object }>(path, method);
      if (path.endsWith('/topics?limit=500')) {
        Object.assign(answer.data, { items: erased.at(1, 'topics').map(([, data]) => JSON.parse(data) as object) });
        Object.assign(answer.meta, { digest: erased.digests(1)['topics'] });
      }
      return answer as never;
    };
    const store = await openMirrorStore(folder);
    expect(await runMirror({ ask }, store)).toMatchObject({ snapshots: 1 });
    await store.close();
    rmSync(folder, { recursive: true });
  });
});
