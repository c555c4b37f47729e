import { copyFileSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MirrorTables } from '../../client/mirror/columns.ts';
import { compareMirror } from '../../client/mirror/compare-mirror.ts';
import { MIRROR_TABLES } from '../../client/mirror/mirror-tables.ts';
import { openMirrorStore } from '../../client/mirror/open-store.ts';
import { openPostgresStore } from '../../client/mirror/postgres-store.ts';
import { openSqliteStore } from '../../client/mirror/sqlite-store.ts';
import type { FeedService } from '../support/feed-service.ts';
import { askPostgres, mirrorPlaces } from '../support/mirror-places.ts';
import { cityFeed, cityItem, cityMeeting, mirroredId, TRICKY, write } from '../support/mirrored-records.ts';
import { runMirror } from '../support/run-mirror.ts';

type Row = Readonly<Record<string, unknown>>;
const OLDER = new URL('../fixtures/single-table-mirrors/', import.meta.url);

const places = mirrorPlaces();
let schemas = 0;
/** A separate schema, so that no test sees the tables of another. */
async function newSchema(): Promise<string> {
  const schema = `mirror_${(schemas += 1)}`;
  await places.administer(`create schema ${schema}`);
  return places.inSchema(schema);
}

interface Mirror {
  readonly to: string;
  readonly open: (
    tables: MirrorTables,
  ) => Promise<ReturnType<typeof openSqliteStore>> | ReturnType<typeof openSqliteStore>;
  readonly query: (sql: string) => Promise<readonly Row[]>;
  /** Runs statements that change the mirror. */
  readonly change: (sql: string) => Promise<unknown>;
  /** SQL of a condition on the full-text index. */
  readonly found: (table: string, words: string) => string;
}

const KINDS = {
  'a SQLite file': (): Mirror => {
    const file = join(places.folder, 'mirror.db');
    return {
      to: `sqlite:${file}`,
      open: (tables) => openSqliteStore(file, tables),
      query: async (sql) => {
        const opened = new DatabaseSync(file, { readOnly: true });
        try {
          return opened.prepare(sql).all();
        } finally {
          opened.close();
        }
      },
      change: async (sql) => {
        const opened = new DatabaseSync(file);
        opened.exec(sql);
        opened.close();
      },
      found: (table, words) => `rowid in (select rowid from ${table}_fts where ${table}_fts match '${words}')`,
    };
  },
  'a PostgreSQL database': async (): Promise<Mirror> => {
    const to = await newSchema();
    return {
      to,
      open: (tables) => openPostgresStore(to, tables),
      query: (sql: string) => askPostgres<Row>(to, sql),
      change: (sql: string) => askPostgres<Row>(to, sql),
      found: (_, words) => `search @@ websearch_to_tsquery('english', '${words}')`,
    };
  },
};

async function synchronised(
  service: FeedService,
  to: string,
): Promise<{ readonly snapshots: number; readonly changes: number }> {
  const store = await openMirrorStore(to);
  try {
    const { snapshots, changes } = await runMirror(service, store);
    expect(await compareMirror(store, service.digests(service.changes.length), null)).toEqual({
      equal: true,
      different: [],
    });
    return { snapshots, changes };
  } finally {
    await store.close();
  }
}

describe.each(Object.entries(KINDS))('a mirror in %s', (kind, make) => {
  let mirror: Mirror;
  beforeEach(async () => {
    mirror = await make();
  });
  const ids = async (sql: string) => (await mirror.query(sql)).map(({ id }) => id);

  test('has typed columns of each record beside its JSON', async () => {
    await synchronised(cityFeed(), mirror.to);
    const [city] = await mirror.query(
      'select name, population, active, county_slugs, official_website_url from jurisdictions',
    );
    const sqlite = kind === 'a SQLite file';
    expect({ ...city }).toEqual({
      name: 'Springfield',
      population: sqlite ? 30_720 : '30720',
      active: sqlite ? 1 : true,
      county_slugs: sqlite ? '["dallas","tarrant"]' : ['dallas', 'tarrant'],
      official_website_url: null,
    });
    const [document] = await mirror.query(`select cast(bytes as text) as bytes, meeting_id from documents`);
    expect({ ...document }).toEqual({ bytes: '9007199254740991', meeting_id: mirroredId('meetings', 'coming') });
    const [item] = await mirror.query(`select text, matter_file, data from agenda_items where matter_file = '00123'`);
    expect(item).toMatchObject({ text: TRICKY, matter_file: '00123' });
    expect(await mirror.query(`select id from stream_records where record_date is not null`)).toHaveLength(1);
    expect(await mirror.query('select resource, id, data from civic_records')).toHaveLength(8);
  });

  test('whose columns were changed differs from the service until a new snapshot, which writes them again', async () => {
    const service = cityFeed();
    await synchronised(service, mirror.to);
    await mirror.change(`update meetings set title = 'x', timezone = null; update documents set bytes = 1`);
    const store = await openMirrorStore(mirror.to);
    const compared = () => compareMirror(store, service.digests(service.changes.length), null);
    expect(await compared()).toMatchObject({ equal: false, different: [{ name: 'meetings' }, { name: 'documents' }] });
    const id = mirroredId('meetings', 'coming');
    expect(await store.findStale!('meetings')).toBe(`${id} differs in the columns title, timezone`);
    expect(await runMirror(service, store)).toMatchObject({ changes: 0 });
    expect(await compared()).toMatchObject({ equal: false });
    await runMirror(service, store, { newSnapshot: true });
    expect(await compared()).toEqual({ equal: true, different: [] });
    await store.close();
    expect(await mirror.query('select title, timezone from meetings')).toEqual([
      expect.objectContaining({ title: 'City Council, regular meeting', timezone: 'America/Chicago' }),
    ]);
  });

  test('shows what is coming, the hits with their topics, and the agendas of meetings', async () => {
    const service = cityFeed();
    write(service, 'meetings', 'past', cityMeeting({ startsAt: '2020-01-01T00:00:00.000Z' }));
    write(service, 'agenda_items', 'past', cityItem('past', {}));
    write(service, 'meetings', 'off', cityMeeting({ status: 'cancelled' }));
    write(service, 'agenda_items', 'off', cityItem('off', {}));
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
    write(
      service,
      'meetings',
      'some time today',
      cityMeeting({ startsAt: anHourAgo, startTime: { status: 'not_stated', sourceText: null } }),
    );
    write(service, 'agenda_items', 'some time today', cityItem('some time today', {}));
    write(service, 'agenda_items', 'consent agenda', cityItem('some time today', { kind: 'heading' }));
    write(service, 'meetings', 'begun', cityMeeting({ startsAt: anHourAgo }));
    write(service, 'agenda_items', 'begun', cityItem('begun', {}));
    write(service, 'topics', 'zoning', {
      slug: 'zoning',
      name: 'Zoning',
      publicLabel: 'Zoning',
      description: 'Use of land',
      keywords: [],
      negativeKeywords: [],
      selectable: true,
      classificationActive: true,
      taxonomyManaged: true,
    });
    write(service, 'agenda_hits', 'hit', {
      agendaItemId: mirroredId('agenda_items', 'rezoning'),
      topicId: mirroredId('topics', 'zoning'),
      summary: 'Rezones a street',
      businessImpact: 'Shops may open',
      evidenceQuote: 'Rezoning of Elm Street',
      confidence: 90,
      affectedLocation: { status: 'not_stated', locations: [] },
      proceduralContext: {
        proceduralStage: 'public_hearing',
        actingBodyRole: 'final_decision_maker',
        nextBodyName: null,
        nextMeetingDate: null,
        actionKind: 'meeting',
        actionUrl: null,
      },
      classifiedAt: '2026-04-10T21:30:00.000Z',
      classifier: 'test',
    });
    await synchronised(service, mirror.to);
    expect(await ids('select agenda_item_id as id from upcoming_items')).toEqual(
      ['some time today', 'rezoning', 'secret'].map((name) => mirroredId('agenda_items', name)),
    );
    expect(
      await mirror.query(
        'select jurisdiction, body, topic_slug, item, procedural_stage, next_meeting_date from hits_with_topic',
      ),
    ).toEqual(
      [
        {
          jurisdiction: 'Springfield',
          body: 'City Council',
          topic_slug: 'zoning',
          item: 'Rezoning of Elm Street',
          procedural_stage: 'public_hearing',
          next_meeting_date: null,
        },
      ].map((row) => expect.objectContaining(row) as unknown),
    );
    expect(
      await mirror.query('select stage, document_url, meeting from meeting_agendas where agenda_id is not null'),
    ).toEqual([
      expect.objectContaining({
        stage: 'final',
        document_url: 'https://example.org/agenda.pdf',
        meeting: 'City Council, regular meeting',
      }),
    ]);
    expect(await mirror.query('select meeting_id from meeting_agendas')).toHaveLength(5);
  });

  test('finds records by their words as they are now', async () => {
    const service = cityFeed();
    await synchronised(service, mirror.to);
    const find = (words: string) => ids(`select id from agenda_items where ${mirror.found('agenda_items', words)}`);
    expect(await find('rezone street')).toEqual([mirroredId('agenda_items', 'rezoning')]);
    expect(await find('settlements')).toEqual([mirroredId('agenda_items', 'secret')]);
    write(service, 'agenda_items', 'secret', cityItem('coming', { title: 'Purchase of a bridge' }));
    service.write('agenda_items', mirroredId('agenda_items', 'rezoning'), null);
    await synchronised(service, mirror.to);
    expect(await find('settlement')).toEqual([]);
    expect(await find('rezone')).toEqual([]);
    expect(await find('bridges')).toEqual([mirroredId('agenda_items', 'secret')]);
  });

  test('keeps and finds a text with more different words than an index entry holds', async () => {
    const service = cityFeed();
    const letter = (number: number) => String.fromCodePoint(0x20000 + (number % 42_000));
    const words = Array.from(
      { length: 33_000 },
      (_, n) => `${letter(n)}${letter(n * 7)}-${letter(n * 3)}${letter(n * 5)}`,
    );
    write(service, 'agenda_items', 'long', cityItem('coming', { title: 'Culvert', text: words.join(' ') }));
    await synchronised(service, mirror.to);
    expect(await ids(`select id from agenda_items where ${mirror.found('agenda_items', 'culverts')}`)).toEqual([
      mirroredId('agenda_items', 'long'),
    ]);
  });

  test('that an older program wrote with fewer columns gets them, filled, and keeps its cursor', async () => {
    const { record_streams: _, ...older } = MIRROR_TABLES;
    const lacking: MirrorTables = {
      ...older,
      jurisdictions: older.jurisdictions.filter(({ field }) => field !== 'population'),
      agenda_items: older.agenda_items.filter(({ field }) => field !== 'sourceRecordId'),
    };
    const service = cityFeed();
    const store = await mirror.open(lacking);
    await runMirror(service, store);
    await store.close();
    await expect(mirror.query('select population from jurisdictions')).rejects.toThrow(/population/);
    if (kind === 'a PostgreSQL database') {
      await mirror.query(`alter table agenda_items drop column search;
        alter table agenda_items add column search tsvector generated always as (to_tsvector('pg_catalog.english', left(title, 3))) stored`);
    }
    expect(await synchronised(service, mirror.to)).toEqual({ snapshots: 0, changes: 0 });
    expect(Number((await mirror.query('select population from jurisdictions'))[0]!['population'])).toBe(30_720);
    expect(await mirror.query('select * from record_streams')).toEqual([]);
    expect(await mirror.query('select * from upcoming_items')).toHaveLength(2);
    expect(await ids(`select id from agenda_items where ${mirror.found('agenda_items', 'street')}`)).toEqual([
      mirroredId('agenda_items', 'rezoning'),
    ]);
  });

  test('with a table of another program of that name is refused and left alone', async () => {
    if (kind === 'a SQLite file') {
      const other = new DatabaseSync(join(places.folder, 'mirror.db'));
      other.exec("create table documents (own text); insert into documents values ('mine')");
      other.close();
    } else {
      const client = new Client({ connectionString: mirror.to });
      await client.connect();
      await client.query("create table documents (own text); insert into documents values ('mine')");
      await client.end();
    }
    await expect(openMirrorStore(mirror.to)).rejects.toThrow(
      /documents"? already exists; a mirror needs one of its own/,
    );
    expect(await mirror.query('select own from documents')).toEqual([expect.objectContaining({ own: 'mine' })]);
    await expect(mirror.query('select 1 from topics')).rejects.toThrow(/topics/);
  });
});

test('a PostgreSQL database has the JSON as jsonb, also one that an earlier version wrote as json', async () => {
  const to = await newSchema();
  const service = cityFeed();
  await synchronised(service, to);
  const typesOfJson = async () => {
    const columns = `select distinct udt_name from information_schema.columns where table_schema = current_schema() and column_name = 'data'`;
    return (await askPostgres<{ udt_name: string }>(to, columns)).map((row) => row.udt_name);
  };
  expect(await typesOfJson()).toEqual(['jsonb']);
  const tables = [...Object.keys(MIRROR_TABLES), 'civic_records_fresh'];
  const earlier = tables.map((table) => `alter table ${table} alter column data type json`);
  const view = `select pg_get_viewdef('civic_records'::regclass) as definition`;
  const [{ definition } = { definition: '' }] = await askPostgres<{ definition: string }>(to, view);
  await askPostgres(
    to,
    `drop view civic_records; ${earlier.join('; ')}; create view civic_records as ${definition}; update civic_replica set schema = 'of an earlier version'`,
  );
  await askPostgres(to, 'grant select on civic_records to public');
  expect(await typesOfJson()).toEqual(['json']);
  expect(await synchronised(service, to)).toEqual({ snapshots: 0, changes: 0 });
  expect(await typesOfJson()).toEqual(['jsonb']);
  expect(
    await askPostgres(to, `select data ->> 'title' as title from civic_records where data @> '{"kind":"agenda"}'`),
  ).toEqual([{ title: 'Agenda' }]);
  const readers = `select privilege_type from information_schema.role_table_grants
    where table_schema = current_schema() and table_name = 'civic_records' and grantee = 'PUBLIC'`;
  expect(await askPostgres(to, readers)).toEqual([{ privilege_type: 'SELECT' }]);
});

test('the search of a SQLite file survives a `vacuum` of its user', async () => {
  const service = cityFeed();
  const file = join(places.folder, 'mirror.db');
  for (let at = 0; at < 50; at += 1)
    write(service, 'agenda_items', `${at}`, cityItem('coming', { title: `Bridge number${at}` }));
  await synchronised(service, `sqlite:${file}`);
  for (let at = 0; at < 50; at += 2) service.write('agenda_items', mirroredId('agenda_items', `${at}`), null);
  await synchronised(service, `sqlite:${file}`);
  const opened = new DatabaseSync(file);
  opened.exec('vacuum');
  const matches = opened.prepare(
    'select i.title from agenda_items_fts f join agenda_items i on i.rowid = f.rowid where agenda_items_fts match ?',
  );
  for (let at = 0; at < 50; at += 1) {
    expect(matches.all(`number${at}`).map(({ title }) => title)).toEqual(at % 2 === 0 ? [] : [`Bridge number${at}`]);
  }
  opened.close();
});

describe('a mirror of one table of JSON is upgraded in place, without a snapshot', () => {
  async function continues(to: string): Promise<void> {
    const service = cityFeed();
    expect(await synchronised(service, to)).toEqual({ snapshots: 0, changes: 0 });
    write(service, 'meetings', 'coming', cityMeeting({ status: 'cancelled' }));
    service.write('agendas', mirroredId('agendas', 'agenda'), null);
    expect(await synchronised(service, to)).toEqual({ snapshots: 0, changes: 2 });
  }

  test('in a SQLite file', async () => {
    const file = join(places.folder, 'mirror.db');
    copyFileSync(new URL('mirror.db', OLDER), file);
    await continues(`sqlite:${file}`);
    const opened = new DatabaseSync(file, { readOnly: true });
    expect(opened.prepare('select status from meetings').all()).toEqual([
      expect.objectContaining({ status: 'cancelled' }),
    ]);
    expect(opened.prepare(`select type from sqlite_master where name = 'civic_records'`).get()).toMatchObject({
      type: 'view',
    });
    expect(opened.prepare('pragma freelist_count').get()).toMatchObject({ freelist_count: 0 });
    opened.close();
  });

  test('in a folder', async () => {
    cpSync(new URL('folder', OLDER), join(places.folder, 'older'), { recursive: true });
    await continues(join(places.folder, 'older'));
    expect(readdirSync(join(places.folder, 'older')).toSorted()).toEqual(
      [...Object.keys(MIRROR_TABLES).map((resource) => `${resource}.ndjson`), 'replica.json'].toSorted(),
    );
    expect(readFileSync(join(places.folder, 'older', 'meetings.ndjson'), 'utf8')).toContain('"status":"cancelled"');
  });

  test('in a PostgreSQL database', async () => {
    const to = await newSchema();
    // A copy, because SQLite creates files next to one that it opens.
    copyFileSync(new URL('mirror.db', OLDER), join(places.folder, 'mirror.db'));
    const older = new DatabaseSync(join(places.folder, 'mirror.db'), { readOnly: true });
    const client = new Client({ connectionString: to });
    await client.connect();
    // The tables as that program made them.
    await client.query(`create table civic_records (resource text not null, id uuid not null, data json not null, primary key (resource, id));
      create table civic_records_fresh (like civic_records including all);
      create table civic_replica (singleton boolean primary key default true check (singleton), state json not null)`);
    for (const { resource, id, data } of older.prepare('select * from civic_records').all()) {
      await client.query('insert into civic_records values ($1, $2, $3)', [resource, id, data]);
    }
    await client.query('insert into civic_replica (state) values ($1)', [
      older.prepare('select state from civic_replica').get()!['state'],
    ]);
    older.close();
    await client.query('create view of_mine as select id from civic_records');
    await expect(openMirrorStore(to)).rejects.toThrow(/view of_mine depends on table civic_records/);
    await client.query('drop view of_mine');
    await continues(to);
    expect((await client.query('select status from meetings')).rows).toEqual([{ status: 'cancelled' }]);
    await client.end();
  });
});
