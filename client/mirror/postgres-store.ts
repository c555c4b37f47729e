import { hash } from 'node:crypto';
import { Client } from 'pg';
import type { MirrorTables } from './columns.ts';
import { isTransient } from '../../domain/retry.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import { type MirrorRecord, type MirrorState, type MirrorStore, type RecordName, StoreAway, unusable } from './mirror-store.ts';
import {
  columnDefinition,
  createIndexes,
  createTable,
  type Dialect,
  finishCopy,
  quoted,
  refill,
  rowsOf,
  searchedColumns,
  upsertFrom,
  viewsOf,
} from './sql-tables.ts';

const TYPES: Dialect['types'] = {
  uuid: 'uuid',
  text: 'text',
  integer: 'bigint',
  number: 'double precision',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
  json: 'jsonb',
};
/** The year 0000 of ISO 8601 is the year before 0001. */
const dateText = (text: string): string => `(case when ${text} like '0000-%' then '0001' || substr(${text}, 5) || ' BC' else ${text} end)`;
const POSTGRES: Dialect = {
  types: TYPES,
  value: (type, text) => `${type === 'date' || type === 'timestamp' ? dateText(text) : text}::${TYPES[type]}`,
  json: 'json',
  looseReferences: false,
  hoursAgo: (hours) => `now() - interval '${hours} hours'`,
};

const PROGRESS = `
  create table if not exists civic_records_fresh (resource text not null, id uuid not null, data json not null, primary key (resource, id));
  create table if not exists civic_replica (singleton boolean primary key default true check (singleton), state json not null);
  alter table civic_replica add column if not exists schema text`;
/**
 * One replicator for each schema. Earlier versions take the first lock alone, for the whole database, and not in shared mode: they and this one
 * exclude each other.
 */
const TAKE_LOCKS = `select pg_try_advisory_lock_shared(6022140760217896)
  and pg_try_advisory_lock(602214076, (select oid::int from pg_namespace where nspname = current_schema())) as taken`;
const CONNECT_MS = 30_000;
/** After so long without a byte, the system asks whether the other side is still there. */
const KEEP_ALIVE_MS = 30_000;
/** Rows of a page that is read: at first, and at most. Where the rows of a page are long, the next one asks for about so many characters. */
const [FIRST_PAGE, MAX_PAGE, PAGE_CHARACTERS] = [100, 1000, 8_000_000];
/** Characters of a row that the search reads. A `tsvector` holds a mebibyte, and a character takes eight bytes at most: four, in a word and in its part. */
const SEARCHED_LENGTH = 100_000;

/** PostgreSQL keeps the expression of a column that is there: it is made again. */
function renewSearch(table: string): readonly string[] {
  const columns = searchedColumns(table);
  if (columns.length === 0) return [];
  const text = columns.map((name) => `coalesce(${quoted(name)}, '')`).join(` || ' ' || `);
  return [
    `alter table ${quoted(table)} drop column if exists search`,
    `alter table ${quoted(table)} add column search tsvector
       generated always as (to_tsvector('pg_catalog.english', left(${text}, ${SEARCHED_LENGTH}))) stored`,
    `create index ${table}_search on ${quoted(table)} using gin (search)`,
  ];
}

/** Brings a database to these tables: an empty one, one of an earlier version, or one with a single table of JSON. Keeps every record. */
async function migrate(client: Client, tables: MirrorTables): Promise<void> {
  const views = viewsOf(POSTGRES, tables);
  const shape = Object.entries(tables).map(([table, columns]) => [
    createTable(POSTGRES, table, columns),
    ...createIndexes(table, columns),
    ...renewSearch(table),
  ]);
  const schema = hash('sha256', JSON.stringify([shape, views]));
  await client.query(PROGRESS);
  const { rows } = await client.query<{ stored: string | null; single: boolean }>(
    `select (select schema from civic_replica) as stored,
       exists (select 1 from pg_class where oid = to_regclass('civic_records') and relkind = 'r') as single`,
  );
  const { stored, single } = rows[0]!;
  if (stored === schema) return;
  for (const [table, columns] of Object.entries(tables)) {
    if (stored === null) await client.query(createTable(POSTGRES, table, columns));
    else await client.query(createTable(POSTGRES, table, columns).replace('create table', 'create table if not exists'));
    for (const column of columns.slice(1)) {
      await client.query(`alter table ${quoted(table)} add column if not exists ${columnDefinition(POSTGRES, column)}`);
    }
    await client.query(single ? upsertFrom(POSTGRES, table, columns, rowsOf('civic_records', table)) : refill(POSTGRES, table, columns));
    for (const statement of [...createIndexes(table, columns), ...renewSearch(table)]) await client.query(statement);
  }
  if (single) await client.query('drop table civic_records');
  for (const [view, select] of Object.entries(views))
    await client.query(`create ${stored === null ? '' : 'or replace '}view ${view} as ${select}`);
  await client.query(
    'insert into civic_replica (state, schema) values ($1, $2) on conflict (singleton) do update set schema = excluded.schema',
    [JSON.stringify({ phase: 'empty' } satisfies MirrorState), schema],
  );
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

const UPSERT_FRESH = `insert into civic_records_fresh (resource, id, data)
  select * from unnest($1::text[], $2::uuid[], $3::json[]) on conflict (resource, id) do update set data = excluded.data`;
const REMOVE_FRESH = `delete from civic_records_fresh r using unnest($1::text[], $2::uuid[]) as d (resource, id)
  where r.resource = d.resource and r.id = d.id`;

interface Connection {
  readonly client: Client;
  readonly isLost: () => boolean;
}

/** Connects, takes the lock of the schema, and brings its tables up to date. */
async function connect(url: string, tables: MirrorTables): Promise<Connection> {
  const client = new Client({
    connectionString: url,
    application_name: 'civic replicate',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  let lost = false;
  client.on('error', () => (lost = true));
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean | null }>(TAKE_LOCKS);
    if (rows[0]?.taken === null) throw new Error('no schema of its search path exists');
    if (!rows[0]?.taken) throw new Error('another replicator uses its schema');
    await inTransaction(client, () => migrate(client, tables));
    return { client, isLost: () => lost };
  } catch (error) {
    await client.end();
    throw error;
  }
}

/**
 * A mirror in a PostgreSQL database: one table for each resource, views and full-text search, in the first schema of the search path. A second
 * replicator on the schema is refused.
 */
export async function openPostgresStore(url: string, tables: MirrorTables = MIRROR_TABLES): Promise<MirrorStore> {
  const open = () =>
    connect(url, tables).catch((error: unknown) => {
      throw unusable('the PostgreSQL database', error);
    });
  let connection = await open();
  let store = storeOn(connection.client, tables);
  const away = (error: unknown): unknown =>
    connection.isLost() || isTransient(error) ? new StoreAway(`the PostgreSQL database is away: ${(error as Error).message}`) : error;
  const guarded = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw away(error);
    });
  return {
    state: () => guarded(store.state()),
    commit: (commit) => guarded(store.commit(commit)),
    async *records() {
      try {
        yield* store.records();
      } catch (error) {
        throw away(error);
      }
    },
    tidy: (now) => guarded(store.tidy(now)),
    async reopen() {
      await store.close();
      // An error without a code is of the connection, or says that the session that was lost still has the lock.
      connection = await connect(url, tables).catch((error: Error & { readonly code?: string }) => {
        const refused = unusable('the PostgreSQL database', error);
        throw error.code === undefined || isTransient(error) ? new StoreAway(refused.message) : refused;
      });
      store = storeOn(connection.client, tables);
    },
    close: () => store.close(),
  };
}

/** `Map.groupBy`, which Node 20 lacks. */
function byResource<Row extends RecordName>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.resource);
    if (group === undefined) groups.set(row.resource, [row]);
    else group.push(row);
  }
  return groups;
}

function storeOn(client: Client, tables: MirrorTables): MirrorStore {
  const stateNow = async () => (await client.query<{ state: MirrorState }>('select state from civic_replica')).rows[0]!.state;
  const namesOf = (rows: readonly RecordName[]) => [rows.map(({ resource }) => resource), rows.map(({ id }) => id)];
  const toFresh = async (upserts: readonly MirrorRecord[], removes: readonly RecordName[]): Promise<void> => {
    if (upserts.length > 0) await client.query(UPSERT_FRESH, [...namesOf(upserts), upserts.map(({ data }) => data)]);
    if (removes.length > 0) await client.query(REMOVE_FRESH, namesOf(removes));
  };
  const toShown = async (upserts: readonly MirrorRecord[], removes: readonly RecordName[]): Promise<void> => {
    for (const [resource, rows] of byResource(upserts)) {
      const statement = upsertFrom(POSTGRES, resource, tables[resource]!, '(select * from unnest($1::uuid[], $2::json[]) as u (id, data))');
      await client.query(statement, [rows.map(({ id }) => id), rows.map(({ data }) => data)]);
    }
    for (const [resource, rows] of byResource(removes)) {
      await client.query(`delete from ${quoted(resource)} where id = any($1::uuid[])`, [rows.map(({ id }) => id)]);
    }
  };
  let finished = false;
  return {
    state: stateNow,
    async commit({ state, upserts, removes, copy }) {
      await inTransaction(client, async () => {
        if (copy === 'begin') await client.query('delete from civic_records_fresh');
        const copying = copy === 'begin' || (await stateNow()).phase === 'snapshot';
        await (copying ? toFresh : toShown)(upserts, removes);
        if (copy === 'finish') {
          for (const statement of finishCopy(POSTGRES, tables)) await client.query(statement);
          await client.query('truncate civic_records_fresh');
        }
        await client.query('update civic_replica set state = $1', [JSON.stringify(state)]);
      });
      finished ||= copy === 'finish';
    },
    async *records() {
      for (const resource of Object.keys(tables)) {
        let limit = FIRST_PAGE;
        for (let after = null as string | null; ; ) {
          const page = `select '${resource}' as resource, id::text, data::text from ${quoted(resource)}`;
          const { rows } = await client.query<MirrorRecord>(
            `${page} ${after === null ? '' : 'where id > $1'} order by id limit ${limit}`,
            after === null ? [] : [after],
          );
          yield* rows;
          if (rows.length < limit) break;
          after = rows.at(-1)!.id;
          const characters = rows.reduce((sum, { data }) => sum + data.length, 0);
          limit = Math.max(1, Math.min(MAX_PAGE, 2 * limit, Math.floor((limit * PAGE_CHARACTERS) / characters)));
        }
      }
    },
    async tidy() {
      if (finished) await client.query(`vacuum (analyze) ${Object.keys(tables).map(quoted).join(', ')}`);
      finished = false;
    },
    close: () => client.end(),
  };
}
