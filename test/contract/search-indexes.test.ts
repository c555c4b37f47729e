import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGenerationStore } from '../../infra/postgresql/generations.ts';
import { openDatabase } from '../../infra/postgresql/open-database.ts';
import { migrate, MIGRATIONS_FOLDER } from '../../infra/postgresql/schema-state.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { AGENDA_SEARCH } from '../../projections/agenda-search/tables.ts';
import { startTestDatabase, type TestDatabase } from '../support/embedded-database.ts';

/** Of 8 KiB. */
const FEW_PAGES = 256 / 8;

let server: TestDatabase;
let client: Client;
beforeEach(async () => {
  server = await startTestDatabase();
  client = new Client(server.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await server.close();
});

const schema = { dir: MIGRATIONS_FOLDER, migrationsSchema: 'civic', migrationsTable: 'migrations', createMigrationsSchema: true };

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
    insert into ${entries} (item_id, starts_at, day, period, words)
      select gen_random_uuid(), n, n, n, to_tsvector('simple', string_agg(md5((n * 50 + w)::text), ' '))
      from generate_series(1, ${rows}) n, generate_series(1, 50) w group by n;
    insert into ${words} select md5(n::text), 'stem', 1 from generate_series(1, ${10 * rows}) n`);
}

/** The pages of new entries that every search of an index would read. */
async function waitingPages(): Promise<readonly number[]> {
  const { rows } = await client.query<{ pages: string }>(`select gin_clean_pending_list(c.oid) as pages from pg_class c
    join pg_am a on a.oid = c.relam where a.amname = 'gin' and c.relnamespace = 'civic'::regnamespace order by c.relname`);
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

test('those that wait in the indexes of an older release take their place, and few are left to wait', async () => {
  await runner({ ...schema, dbClient: client, direction: 'up', count: 28, log: () => undefined });
  const generation = await makeGeneration();
  const indexes = ['entries', 'words'].map((part) => `civic.agenda_search_${part}_g${generation}_${part === 'words' ? 'near' : 'words'}`);
  for (const index of indexes) await client.query(`alter index ${index} reset (gin_pending_list_limit)`);
  await fill(generation, 100);
  expect(await migrate(server.url)).toContain('0029-entries-that-wait');
  expect(await waitingPages()).toEqual([0, 0]);
  const { rows } = await client.query(`select reloptions from pg_class where oid = any ($1::regclass[])`, [indexes]);
  expect(rows).toEqual(indexes.map(() => ({ reloptions: ['gin_pending_list_limit=256'] })));
});
