import { hash, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { MirrorTables } from './columns.ts';
import { isTransient } from '../../plumbing/retry.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import {
  type MirrorCommit,
  type MirrorRecord,
  type MirrorState,
  type MirrorStore,
  type RecordName,
  StoreAway,
  unusable,
} from './mirror-store.ts';
import {
  columnDefinition,
  createIndexes,
  createTable,
  describeStale,
  type Dialect,
  finishCopy,
  quoted,
  refill,
  rowsOf,
  searchedColumns,
  staleRow,
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
/** Year 0000 of ISO 8601 is 1 BC in PostgreSQL. */
const dateText = (text: string): string =>
  `(case when ${text} like '0000-%' then '0001' || substr(${text}, 5) || ' BC' else ${text} end)`;
const POSTGRES: Dialect = {
  types: TYPES,
  value: (type, text) => `${type === 'date' || type === 'timestamp' ? dateText(text) : text}::${TYPES[type]}`,
  json: 'jsonb',
  looseReferences: false,
  hoursAgo: (hours) => `now() - interval '${hours} hours'`,
  localDay: (time, zone) => `(${time} at time zone ${zone})::date`,
  facts: (list) => `jsonb_array_elements(${list}) f (value)`,
  fact: (field) => `(f.value ->> '${field}')`,
};

const PROGRESS = `
  create table if not exists civic_records_fresh (resource text not null, id uuid not null, data jsonb not null, primary key (resource, id));
  create table if not exists civic_replica (singleton boolean primary key default true check (singleton), state json not null);
  alter table civic_replica add column if not exists schema text`;
/**
 * Locks the schema for one replicator. Earlier versions lock the whole database: they take only the first lock, in exclusive mode. The shared
 * mode here excludes them.
 */
const TAKE_LOCKS = `select pg_try_advisory_lock_shared(6022140760217896)
  and pg_try_advisory_lock(602214076, (select oid::int from pg_namespace where nspname = current_schema())) as taken`;
/** Setting that identifies a session. */
const SESSION = 'civic.session';
const POOLED =
  'it is behind a connection pooler without session settings (PgBouncer), which would release the lock of a replicator; name the server itself';
const CONNECT_MS = 30_000;
/** Idle time before TCP keep-alive probes the other side. */
const KEEP_ALIVE_MS = 30_000;
/** Rows of the first page and of the largest. If rows are long, the next page is sized to about `PAGE_CHARACTERS`. */
const [FIRST_PAGE, MAX_PAGE, PAGE_CHARACTERS] = [100, 1000, 8_000_000];
/** Characters of a row that the search indexes. A `tsvector` has at most 1 MiB, and a character takes at most 8 bytes: 4 in a word, 4 in its part. */
const SEARCHED_LENGTH = 100_000;

/** Recreates the search column, because PostgreSQL cannot change the expression of an existing one. */
function recreateSearch(table: string): readonly string[] {
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

/** Changes the JSON of an earlier version, whose column was `json`. Fails if a view of a user reads the column. */
const useJsonb = (table: string): string => `alter table ${quoted(table)} alter column data type jsonb`;

/** Migrates a database to these tables: an empty one, one of an earlier version, or one with a single JSON table. Loses no record. */
async function migrate(client: Client, tables: MirrorTables): Promise<void> {
  const views = viewsOf(POSTGRES, tables);
  const shape = Object.entries(tables).map(([table, columns]) => [
    createTable(POSTGRES, table, columns),
    ...createIndexes(table, columns),
    ...recreateSearch(table),
  ]);
  const schema = hash('sha256', JSON.stringify([shape, views]));
  await client.query(PROGRESS);
  const { rows } = await client.query<{ stored: string | null; single: boolean; textual: boolean }>(
    `select (select schema from civic_replica) as stored,
       exists (select 1 from pg_class where oid = to_regclass('civic_records') and relkind = 'r') as single,
       exists (select 1 from pg_attribute where attrelid = to_regclass('civic_records_fresh') and attname = 'data'
         and atttypid = 'json'::regtype) as textual`,
  );
  const { stored, single, textual } = rows[0]!;
  if (stored === schema) return;
  const mustReplaceViews = stored !== null && textual;
  const grants = mustReplaceViews ? await readGrants(client, Object.keys(views)) : [];
  if (mustReplaceViews) await client.query(`drop view if exists ${Object.keys(views).join(', ')}`);
  if (textual) await client.query(useJsonb('civic_records_fresh'));
  for (const [table, columns] of Object.entries(tables)) {
    if (stored === null) await client.query(createTable(POSTGRES, table, columns));
    else
      await client.query(createTable(POSTGRES, table, columns).replace('create table', 'create table if not exists'));
    for (const column of columns.slice(1)) {
      await client.query(`alter table ${quoted(table)} add column if not exists ${columnDefinition(POSTGRES, column)}`);
    }
    if (mustReplaceViews) await client.query(useJsonb(table));
    await client.query(
      single ? upsertFrom(POSTGRES, table, columns, rowsOf('civic_records', table)) : refill(POSTGRES, table, columns),
    );
    for (const statement of [...createIndexes(table, columns), ...recreateSearch(table)]) await client.query(statement);
  }
  if (single) await client.query('drop table civic_records');
  for (const [view, select] of Object.entries(views))
    await client.query(`create ${stored === null || mustReplaceViews ? '' : 'or replace '}view ${view} as ${select}`);
  for (const statement of grants) await client.query(statement);
  await client.query(
    'insert into civic_replica (state, schema) values ($1, $2) on conflict (singleton) do update set schema = excluded.schema',
    [JSON.stringify({ phase: 'empty' } satisfies MirrorState), schema],
  );
}

/** Returns the statements that grant again what others may do with these views. */
async function readGrants(client: Client, views: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('grant %s on %I to %s%s', a.privilege_type, c.relname,
         case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end,
         case when a.is_grantable then ' with grant option' else '' end) as statement
       from unnest($1::text[]) as name join pg_class c on c.oid = to_regclass(name)
       cross join lateral aclexplode(c.relacl) a where a.grantee <> c.relowner`,
    [views],
  );
  return rows.map(({ statement }) => statement);
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
  select * from unnest($1::text[], $2::uuid[], $3::jsonb[]) on conflict (resource, id) do update set data = excluded.data`;
const REMOVE_FRESH = `delete from civic_records_fresh r using unnest($1::text[], $2::uuid[]) as d (resource, id)
  where r.resource = d.resource and r.id = d.id`;

interface Connection {
  readonly client: Client;
  readonly isLost: () => boolean;
}

/** Adds a setting of the session to the address, after the options that apply without it. */
function addSetting(url: string, setting: string): string {
  const [address = '', ...query] = url.split('?');
  const parameters = new URLSearchParams(query.join('?'));
  const options = parameters.get('options') ?? process.env['PGOPTIONS'] ?? '';
  parameters.set('options', `${options} -c ${setting}`.trim());
  return `${address}?${parameters.toString()}`;
}

const isRefusedSetting = ({ code, message }: Error & { readonly code?: string }): boolean =>
  code === '08P01' && message.includes('startup parameter');

/** Throws if the server did not receive the setting of this session: a pooler might run the next transaction in another one. */
async function requireOwnSession(client: Client, name: string): Promise<void> {
  const statement = `select current_setting('${SESSION}', true) is not distinct from $1 as own`;
  const { rows } = await client.query<{ own: boolean }>(statement, [name]);
  if (!rows[0]!.own) throw new Error(POOLED);
}

/** Connects, locks the schema and migrates its tables. */
async function connect(url: string, tables: MirrorTables): Promise<Connection> {
  const session = randomUUID();
  const client = new Client({
    connectionString: addSetting(url, `${SESSION}=${session}`),
    application_name: 'civic replicate',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  let isLost = false;
  client.on('error', () => (isLost = true));
  try {
    await client.connect();
    await requireOwnSession(client, session);
    const { rows } = await client.query<{ taken: boolean | null }>(TAKE_LOCKS);
    if (rows[0]?.taken === null) throw new Error('no schema of its search path exists');
    if (!rows[0]?.taken) throw new Error('another replicator uses its schema');
    await inTransaction(client, () => migrate(client, tables));
    return { client, isLost: () => isLost };
  } catch (error) {
    await client.end();
    throw isRefusedSetting(error as Error) ? new Error(POOLED) : error;
  }
}

/**
 * Opens a mirror in a PostgreSQL database: one table for each resource, views and full-text search, in the first schema of the search path.
 * Throws if another replicator uses the schema.
 */
export async function openPostgresStore(url: string, tables: MirrorTables = MIRROR_TABLES): Promise<MirrorStore> {
  const open = () =>
    connect(url, tables).catch((error: unknown) => {
      throw unusable('the PostgreSQL database', error);
    });
  let connection = await open();
  let store = createStore(connection.client, tables);
  const markAway = (error: unknown): unknown =>
    connection.isLost() || isTransient(error)
      ? new StoreAway(`the PostgreSQL database is unavailable: ${(error as Error).message}`)
      : error;
  const guard = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: unknown) => {
      throw markAway(error);
    });
  return {
    state: () => guard(store.state()),
    commit: (commit) => guard(store.commit(commit)),
    async *records() {
      try {
        yield* store.records();
      } catch (error) {
        throw markAway(error);
      }
    },
    findStale: (resource) => guard(store.findStale!(resource)),
    tidy: (now) => guard(store.tidy(now)),
    async reopen() {
      await store.close();
      // An error without a code comes from the connection, or means that the lost session still has the lock.
      connection = await connect(url, tables).catch((error: Error & { readonly code?: string }) => {
        const refused = unusable('the PostgreSQL database', error);
        throw error.code === undefined || isTransient(error) ? new StoreAway(refused.message) : refused;
      });
      store = createStore(connection.client, tables);
    },
    close: () => store.close(),
  };
}

/** Replaces `Map.groupBy`, which Node 20 lacks. */
function groupByResource<Row extends RecordName>(rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.resource);
    if (group === undefined) groups.set(row.resource, [row]);
    else group.push(row);
  }
  return groups;
}

const splitNames = (rows: readonly RecordName[]) => [rows.map(({ resource }) => resource), rows.map(({ id }) => id)];

/** Writes to the copy that is being made. */
async function writeFresh(client: Client, { upserts, removes }: MirrorCommit): Promise<void> {
  if (upserts.length > 0) await client.query(UPSERT_FRESH, [...splitNames(upserts), upserts.map(({ data }) => data)]);
  if (removes.length > 0) await client.query(REMOVE_FRESH, splitNames(removes));
}

const UPSERTED_ROWS = '(select * from unnest($1::uuid[], $2::jsonb[]) as u (id, data))';

/** Writes to the copy that readers see. */
async function writeShown(client: Client, tables: MirrorTables, { upserts, removes }: MirrorCommit): Promise<void> {
  for (const [resource, rows] of groupByResource(upserts)) {
    const statement = upsertFrom(POSTGRES, resource, tables[resource]!, UPSERTED_ROWS);
    await client.query(statement, [rows.map(({ id }) => id), rows.map(({ data }) => data)]);
  }
  for (const [resource, rows] of groupByResource(removes)) {
    await client.query(`delete from ${quoted(resource)} where id = any($1::uuid[])`, [rows.map(({ id }) => id)]);
  }
}

/** Yields the records of a resource in pages, by id. */
async function* readRecords(client: Client, resource: string): AsyncIterable<MirrorRecord> {
  const page = `select '${resource}' as resource, id::text, data::text from ${quoted(resource)}`;
  let limit = FIRST_PAGE;
  for (let after = null as string | null; ; ) {
    const { rows } = await client.query<MirrorRecord>(
      `${page} ${after === null ? '' : 'where id > $1'} order by id limit ${limit}`,
      after === null ? [] : [after],
    );
    yield* rows;
    if (rows.length < limit) return;
    after = rows.at(-1)!.id;
    const characters = rows.reduce((sum, { data }) => sum + data.length, 0);
    limit = Math.max(1, Math.min(MAX_PAGE, 2 * limit, Math.floor((limit * PAGE_CHARACTERS) / characters)));
  }
}

function createStore(client: Client, tables: MirrorTables): MirrorStore {
  const readState = async () =>
    (await client.query<{ state: MirrorState }>('select state from civic_replica')).rows[0]!.state;
  let finished = false;
  return {
    state: readState,
    async commit(commit) {
      const { state, copy } = commit;
      await inTransaction(client, async () => {
        if (copy === 'begin') await client.query('delete from civic_records_fresh');
        const isCopying = copy === 'begin' || (await readState()).phase === 'snapshot';
        await (isCopying ? writeFresh(client, commit) : writeShown(client, tables, commit));
        if (copy === 'finish') {
          for (const statement of finishCopy(POSTGRES, tables)) await client.query(statement);
          await client.query('truncate civic_records_fresh');
        }
        await client.query('update civic_replica set state = $1', [JSON.stringify(state)]);
      });
      finished ||= copy === 'finish';
    },
    async *records() {
      for (const resource of Object.keys(tables)) yield* readRecords(client, resource);
    },
    async findStale(resource) {
      const { rows } = await client.query<Readonly<Record<string, unknown>>>(
        staleRow(POSTGRES, resource, tables[resource]!),
      );
      return describeStale(rows[0]);
    },
    async tidy() {
      if (finished) await client.query(`vacuum (analyze) ${Object.keys(tables).map(quoted).join(', ')}`);
      finished = false;
    },
    close: () => client.end(),
  };
}
