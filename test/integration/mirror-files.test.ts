import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import { cityFeed, cityItem, mirroredId, SECRET, TRICKY, write } from '../support/mirrored-records.ts';
import { runMirror } from '../support/run-mirror.ts';

const OLDER = new URL('../fixtures/single-table-mirrors/', import.meta.url);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Every byte of every file below the folder. */
const bytesOf = (where: string): string =>
  readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

test.each([
  ['a SQLite file', () => `sqlite:${join(folder, 'kept', 'mirror.db')}`],
  ['a folder', () => join(folder, 'kept')],
  ['a folder with CSV', () => join(folder, 'kept')],
])(
  '%s holds no byte of a text that was erased, also where the replicator that read this was killed',
  async (kind, to) => {
    const service = cityFeed();
    const format = kind === 'a folder with CSV' ? 'csv' : null;
    if (kind === 'a SQLite file') cpSync(new URL('mirror.db', OLDER), join(folder, 'kept', 'mirror.db'));
    const killed = await openMirrorStore(to(), format);
    // Records of all lengths: some fill a page alone.
    const long = (at: number): string => `${SECRET} ${'and others '.repeat(at * 40)}${SECRET}`;
    for (let at = 0; at < 30; at += 1)
      write(service, 'agenda_items', `long ${at}`, cityItem('coming', { text: long(at) }));
    await runMirror(service, killed);
    // The search has the words without their endings.
    const hasSecret = () => new RegExp(`${SECRET}|quillfeath`, 'i').test(bytesOf(join(folder, 'kept')));
    write(service, 'agenda_items', 'secret', cityItem('coming', { sequence: 2, title: 'Settlement' }));
    for (let at = 0; at < 30; at += 1) {
      if (at % 3 === 0) service.write('agenda_items', mirroredId('agenda_items', `long ${at}`), null);
      else write(service, 'agenda_items', `long ${at}`, cityItem('coming', { text: long(at).replaceAll(SECRET, '') }));
    }
    await runMirror(service, { ...killed, tidy: async () => undefined });
    await killed.close();
    expect(hasSecret()).toBe(true);
    const store = await openMirrorStore(to(), format);
    expect(await runMirror(service, store)).toMatchObject({ snapshots: 0, changes: 0 });
    expect(hasSecret()).toBe(false);
    await store.close();
  },
);

test('a SQLite file that another program locks is cleaned later, and a single run says what is left to do', async () => {
  const service = cityFeed();
  write(service, 'agenda_items', 'secret', cityItem('coming', { text: SECRET }));
  const file = join(folder, 'mirror.db');
  const store = await openMirrorStore(`sqlite:${file}`);
  await runMirror(service, { ...store, tidy: async () => undefined });
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  await expect(store.tidy(false)).resolves.toBeUndefined();
  await expect(store.tidy(true)).rejects.toThrow(
    /mirror\.db is up to date, but erased text could not be removed from it: database is locked; run it again$/,
  );
  other.exec('rollback');
  other.close();
  await store.tidy(true);
  const database = new DatabaseSync(file);
  expect(database.prepare('pragma user_version').get()).toEqual({ user_version: 0 });
  database.close();
  await store.close();
});

test('a SQLite file returns the space of a snapshot, and is at most three times its records', async () => {
  const service = cityFeed();
  for (let at = 0; at < 300; at += 1)
    write(service, 'agenda_items', `long ${at}`, cityItem('coming', { text: `${at} ${'word '.repeat(800)}` }));
  const file = join(folder, 'mirror.db');
  const store = await openMirrorStore(`sqlite:${file}`);
  await runMirror(service, store);
  await runMirror(service, store, { newSnapshot: true });
  const bytes = statSync(file).size + statSync(`${file}-wal`).size;
  expect(bytes).toBeLessThan(3 * 300 * 4000);
  await store.close();
  const opened = new DatabaseSync(file, { readOnly: true });
  expect(opened.prepare('pragma freelist_count').get()).toMatchObject({ freelist_count: 0 });
  opened.close();
});

/** A trigger that ends the transaction, as SQLite does on a full disk. */
const ENDING = "before update on civic_replica begin select raise(rollback, 'database or disk is full'); end";

test('a SQLite file whose transaction SQLite has ended itself gives the cause, and continues later', async () => {
  const service = cityFeed();
  const file = join(folder, 'mirror.db');
  const store = await openMirrorStore(`sqlite:${file}`);
  const other = new DatabaseSync(file);
  other.exec(`create trigger full ${ENDING}`);
  await expect(runMirror(service, store)).rejects.toThrow(
    `the SQLite file ${file} cannot be used: database or disk is full`,
  );
  other.exec('drop trigger full');
  other.close();
  expect(await runMirror(service, store)).toMatchObject({ snapshots: 1 });
  await store.close();
});

test('a SQLite file that fills its disk when it is rewritten says so, with the space that it needs', async () => {
  const file = join(folder, 'mirror.db');
  const store = await openMirrorStore(`sqlite:${file}`);
  await runMirror(cityFeed(), { ...store, tidy: async () => undefined });
  const full = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
  });
  await expect(store.tidy(true)).rejects.toThrow(
    `${file} is up to date, but its disk is full; free as much space as the file takes, and run the same command again`,
  );
  full.mockRestore();
  await store.tidy(true);
  await store.close();
});

test('a SQLite file that is damaged, or cannot be made, is named with what to do', async () => {
  const file = join(folder, 'mirror.db');
  const store = await openMirrorStore(`sqlite:${file}`);
  await runMirror(cityFeed(), store);
  await store.close();
  writeFileSync(file, readFileSync(file).fill(0xff, 100));
  const to = { damaged: `sqlite:${file}`, missing: `sqlite:${join(folder, 'absent', 'mirror.db')}` };
  await expect(openMirrorStore(to.damaged)).rejects.toThrow(
    `the SQLite file ${file} cannot be used: database disk image is malformed; it is damaged: remove it, and run the same command again for a new copy`,
  );
  await expect(openMirrorStore(to.missing)).rejects.toThrow(
    /cannot be used: unable to open database file; its folder must exist, on a file system that can be written$/,
  );
});

test.each([
  ['a SQLite file', () => `sqlite:${join(folder, 'mirror.db')}`],
  ['a folder', () => join(folder, 'kept')],
])('%s takes no page of a second replicator that runs beside the first', async (_, to) => {
  const service = cityFeed();
  const first = await openMirrorStore(to());
  // The lock of a folder as a process on another machine sees it.
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.includes('.replicator-')) rmSync(join(folder, name));
  }
  const second = await openMirrorStore(to());
  await runMirror(service, first);
  await expect(runMirror(service, second)).rejects.toThrow(
    /another replicator has written to .* at the same time; run one at a time/,
  );
  await expect(runMirror(service, second, { newSnapshot: true })).rejects.toThrow(/another replicator/);
  write(service, 'agenda_items', 'later', cityItem('coming', { title: 'Of a later day' }));
  expect(await runMirror(service, first)).toMatchObject({ snapshots: 0, changes: 1 });
  expect(await compareMirror(first, service.digests(service.changes.length), null)).toEqual({
    equal: true,
    different: [],
  });
  await first.close();
  await second.close();
});

describe('a mirror in a folder', () => {
  test('has a line for each record, and with `--format csv` a table beside it', async () => {
    const to = join(folder, 'kept');
    const service = cityFeed();
    const store = await openMirrorStore(to, 'csv');
    await runMirror(service, store);
    await store.close();
    const lines = readFileSync(join(to, 'agenda_items.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { text: unknown }).text)).toContain(TRICKY);
    const [head, ...rows] = readFileSync(join(to, 'jurisdictions.csv'), 'utf8').split('\r\n');
    expect(head).toMatch(/^id,slug,name,.*,created_at,updated_at$/);
    expect(rows).toEqual([
      `${mirroredId('jurisdictions', 'city')},springfield,Springfield,city,city,"[""dallas"",""tarrant""]",America/Chicago,30720,0048000,true,,2026-03-20T18:00:00.000Z,2026-04-10T21:30:00.000Z`,
      '',
    ]);
    expect(readFileSync(join(to, 'agenda_items.csv'), 'utf8')).toContain(`"${TRICKY.replaceAll('"', '""')}"`);
  });

  test('has no formula in a CSV table, and the text as published in NDJSON', async () => {
    const to = join(folder, 'kept');
    const service = cityFeed();
    const formulas = ['=HYPERLINK("https://example.org","Agenda")', '+1-1', '-1+1', '@SUM(A1)'];
    for (const title of formulas)
      write(service, 'agenda_items', title, cityItem('coming', { title, matterFile: 'a-b' }));
    const store = await openMirrorStore(to, 'csv');
    await runMirror(service, store);
    await store.close();
    const cells = readFileSync(join(to, 'agenda_items.csv'), 'utf8');
    for (const title of formulas) {
      expect(cells).toContain(title.includes('"') ? `,"'${title.replaceAll('"', '""')}",` : `,'${title},`);
      expect(readFileSync(join(to, 'agenda_items.ndjson'), 'utf8')).toContain(JSON.stringify(title));
    }
    expect(cells).toContain(',a-b,');
  });

  test('whose CSV table was changed or removed differs from the service until a new snapshot', async () => {
    const to = join(folder, 'kept');
    const service = cityFeed();
    const store = await openMirrorStore(to, 'csv');
    await runMirror(service, store);
    const compared = () => compareMirror(store, service.digests(service.changes.length), null);
    expect(await compared()).toEqual({ equal: true, different: [] });
    appendFileSync(join(to, 'meetings.csv'), 'mine');
    rmSync(join(to, 'topics.csv'));
    expect(await compared()).toMatchObject({ equal: false, different: [{ name: 'topics' }, { name: 'meetings' }] });
    expect(await store.findStale!('meetings')).toBe('meetings.csv differs from meetings.ndjson');
    expect(await store.findStale!('topics')).toBe('topics.csv is missing');
    await runMirror(service, store, { newSnapshot: true });
    expect(await compared()).toEqual({ equal: true, different: [] });
    await store.close();
  });

  test('keeps its format until another one is requested, and then leaves no file of the former', async () => {
    const to = join(folder, 'kept');
    const service = cityFeed();
    const opened = async (format: 'csv' | 'ndjson' | null) => {
      const store = await openMirrorStore(to, format);
      await runMirror(service, store);
      await store.close();
      return readdirSync(to).filter((name) => name.endsWith('.csv')).length;
    };
    expect(await opened(null)).toBe(0);
    expect(await opened('csv')).toBe(11);
    write(service, 'agenda_items', 'new', cityItem('coming', { title: 'Of a later day' }));
    expect(await opened(null)).toBe(11);
    expect(readFileSync(join(to, 'agenda_items.csv'), 'utf8')).toContain('Of a later day');
    expect(await opened('ndjson')).toBe(0);
  });

  test('has the last state of a record that changed on several pages', async () => {
    const to = join(folder, 'kept');
    const service = cityFeed();
    const store = await openMirrorStore(to);
    await runMirror(service, store);
    const title = (name: string) => write(service, 'agenda_items', 'rezoning', cityItem('coming', { title: name }));
    title('First');
    for (let at = 0; at < 4; at += 1) write(service, 'agenda_items', `other ${at}`, cityItem('coming', {}));
    title('Second');
    await runMirror(service, store);
    await store.close();
    const lines = readFileSync(join(to, 'agenda_items.ndjson'), 'utf8').trimEnd().split('\n');
    const titles = lines.map((line) => JSON.parse(line) as { id: string; title: string });
    expect(titles.filter(({ id }) => id === mirroredId('agenda_items', 'rezoning')).map((item) => item.title)).toEqual([
      'Second',
    ]);
    expect(lines).toHaveLength(6);
  });

  test('drops the part of a page that a killed replicator has written', async () => {
    const state = { phase: 'changes', cursor: 'x' } as const;
    const page = (id: string) => ({
      state,
      upserts: [{ resource: 'topics', id, data: `{"id":"${id}"}` }],
      removes: [],
    });
    const before = await openMirrorStore(folder);
    await before.commit(page('a'));
    await before.close();
    appendFileSync(join(folder, 'records-1.ndjson'), '{"op":"upsert","resource":"topics","id":"lost","da');
    const store = await openMirrorStore(folder);
    await store.commit(page('b'));
    const ids = async (): Promise<readonly string[]> => {
      const titles: string[] = [];
      for await (const { id } of store.records()) titles.push(id);
      return titles;
    };
    expect(await ids()).toEqual(['a', 'b']);
    await store.tidy(true);
    expect(await ids()).toEqual(['a', 'b']);
    await store.close();
  });

  test('deletes and writes no file outside of it that its own files name', async () => {
    const to = join(folder, 'kept');
    const service = cityFeed();
    const first = await openMirrorStore(to);
    await runMirror(service, first);
    await first.close();
    const replica = join(to, 'replica.json');
    const progress = JSON.parse(readFileSync(replica, 'utf8')) as object;
    const victim = join(folder, 'victim.ndjson');
    writeFileSync(victim, '');
    const names = [
      { journal: '../victim.ndjson' },
      { fresh: '../victim.ndjson' },
      { resources: ['../victim'] },
      { format: '/../../victim' },
    ];
    for (const changed of names) {
      writeFileSync(replica, JSON.stringify({ ...progress, ...changed }));
      await expect(openMirrorStore(to)).rejects.toThrow(
        `the folder ${to} cannot be used: its replica.json has content that no mirror wrote; name an empty folder`,
      );
    }
    writeFileSync(join(to, 'records-1.ndjson'), '{"op":"upsert","resource":"../victim","id":"a","data":{"id":"a"}}\n');
    const bytes = statSync(join(to, 'records-1.ndjson')).size;
    writeFileSync(replica, JSON.stringify({ ...progress, journal: 'records-1.ndjson', bytes }));
    const store = await openMirrorStore(to);
    await expect(store.tidy(true)).rejects.toThrow('records-1.ndjson has a line that no mirror wrote');
    await store.close();
    expect(readdirSync(folder).toSorted()).toEqual(['kept', 'victim.ndjson']);
    expect(readFileSync(victim, 'utf8')).toBe('');
  });

  test('overwrites no file that it did not write', async () => {
    writeFileSync(join(folder, 'meetings.csv'), 'mine');
    await expect(openMirrorStore(folder)).rejects.toThrow(
      /a file meetings\.csv that no mirror wrote; name an empty folder/,
    );
    expect(readFileSync(join(folder, 'meetings.csv'), 'utf8')).toBe('mine');
  });
});

test.each(['mysql://example/x', 'mongodb:x', 'https://example.org'])(
  'a target of another kind is refused with the allowed ones: %s',
  async (to) => {
    await expect(openMirrorStore(to)).rejects.toThrow(
      /cannot be stored in .*; allowed are a folder, sqlite:FILE and postgres:\/\//,
    );
  },
);

test('a format is refused where there is no folder', async () => {
  await expect(openMirrorStore(`sqlite:${join(folder, 'x.db')}`, 'csv')).rejects.toThrow(/only a folder has a format/);
  await expect(openMirrorStore('sqlite:')).rejects.toThrow(/sqlite: needs the name of a file/);
});
