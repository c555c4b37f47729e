import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nightlyTest } from '../support/nightly-test.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { migrate, MIGRATIONS_FOLDER } from '../../infra/postgresql/connection/schema-state.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { startEmptyDatabase, type TestDatabase } from '../support/embedded-database.ts';
import { untilTrue } from '../support/until-reached.ts';

const LOCKED_OUT = `select from pg_locks l join pg_database d on d.oid = l.database where not l.granted and d.datname = current_database()`;
/** Pages of 8 KiB. */
const FEW_PAGES = 256 / 8;

let server: TestDatabase;
let client: Client;
beforeEach(async () => {
  server = await startEmptyDatabase();
  client = new Client(server.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await server.close();
});

const schema = {
  dir: MIGRATIONS_FOLDER,
  migrationsSchema: 'civic',
  migrationsTable: 'migrations',
  createMigrationsSchema: true,
};

async function makeGeneration(): Promise<number> {
  const database = await openDatabase({ dsn: server.url, statementTimeoutMs: 10_000 });
  const { generation } = await createGenerationStore(database.transactor).create(agendaSearch, 'live', 0);
  await database.close();
  return generation;
}

/** More than the default lets wait. */
async function fill(generation: number, rows: number): Promise<void> {
  const { entries, words } = AGENDA_SEARCH.at(generation);
  await client.query(`
    insert into ${entries} (item_id, starts_at, day, period, words, forms)
      select gen_random_uuid(), n, n, n, to_tsvector('simple', string_agg(md5((n * 50 + w)::text), ' ')), ''
      from generate_series(1, ${rows}) n, generate_series(1, 50) w group by n;
    insert into ${words} select md5(n::text), 'stem', 1 from generate_series(1, ${10 * rows}) n`);
}

/** The pages of new entries that every search of an index would read. */
async function waitingPages(): Promise<readonly number[]> {
  const { rows } = await client.query<{ pages: string }>(`select gin_clean_pending_list(c.oid) as pages from pg_class c
    join pg_am a on a.oid = c.relam where a.amname = 'gin' and c.relname like 'agenda_search_%' order by c.relname`);
  return rows.map(({ pages }) => Number(pages));
}

test('few new entries wait where every search reads them', async () => {
  await migrate(server.url);
  const generation = await makeGeneration();
  for (let turn = 0; turn < 3; turn++) {
    await client.query(`truncate ${AGENDA_SEARCH.at(generation).words}`);
    await fill(generation, 317);
    const waiting = await waitingPages();
    expect(waiting).toHaveLength(2);
    for (const pages of waiting) expect(pages).toBeLessThanOrEqual(FEW_PAGES);
  }
});

describe('the indexes of an older release', () => {
  let generation: number;
  let indexes: readonly string[];
  beforeEach(async () => {
    await runner({ ...schema, dbClient: client, direction: 'up', count: 28, log: () => undefined });
    generation = await makeGeneration();
    indexes = [`civic.agenda_search_entries_g${generation}_words`, `civic.agenda_search_words_g${generation}_near`];
    for (const index of indexes) await client.query(`alter index ${index} reset (gin_pending_list_limit)`);
    await fill(generation, 100);
  });
  const others: Client[] = [];
  afterEach(() => Promise.all(others.splice(0).map((other) => other.end())));

  /** A session within a transaction that has read this table. */
  async function readerOf(table: string): Promise<Client> {
    const reader = new Client(server.url);
    others.push(reader);
    await reader.connect();
    await reader.query(`begin; select from ${table} limit 1`);
    return reader;
  }
  const options = async (): Promise<readonly unknown[]> =>
    (
      await client.query<{ reloptions: unknown }>(`select reloptions from pg_class where oid = any ($1::regclass[])`, [
        indexes,
      ])
    ).rows.map(({ reloptions }) => reloptions);

  test('put what waits in its place, and let few wait', async () => {
    expect(await migrate(server.url)).toContain('0029-entries-that-wait');
    expect(await waitingPages()).toEqual([0, 0]);
    expect(await options()).toEqual(indexes.map(() => ['gin_pending_list_limit=256']));
  });

  test('are changed beside searches that read them in either order, of which none fails', async () => {
    const { entries, words } = AGENDA_SEARCH.at(generation);
    const searches = [
      { reader: await readerOf(words), next: entries },
      { reader: await readerOf(entries), next: words },
    ];
    const migrated = migrate(server.url);
    await untilTrue('the migration waits', async () => (await client.query(LOCKED_OUT)).rowCount! > 0);
    await Promise.all(
      searches.map(async ({ reader, next }) => {
        await reader.query(`select from ${next} limit 1`);
        await reader.query('commit');
      }),
    );
    expect(await migrated).toContain('0029-entries-that-wait');
    expect(await options()).toEqual(indexes.map(() => ['gin_pending_list_limit=256']));
  });

  test('are skipped while an older process drops their tables', async () => {
    const { entries, words } = AGENDA_SEARCH.at(generation);
    const dropping = await readerOf(words);
    const migrated = migrate(server.url);
    await untilTrue('the migration waits', async () => (await client.query(LOCKED_OUT)).rowCount! > 0);
    await dropping.query(`drop table ${words}, ${entries}`);
    await dropping.query('commit');
    expect(await migrated).toContain('0029-entries-that-wait');
  });

  nightlyTest('stay as they are where a session does not give them free, and the release starts', async () => {
    await readerOf(AGENDA_SEARCH.at(generation).words);
    expect(await migrate(server.url)).toContain('0029-entries-that-wait');
    expect(await waitingPages()).toEqual([0, 0]);
    expect(await options()).toEqual([null, null]);
  });
});
