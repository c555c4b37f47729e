import { hash } from 'node:crypto';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { columnNames, type MirrorTables } from './columns.ts';
import { MIRROR_TABLES } from './mirror-tables.ts';
import {
  type MirrorCommit,
  MirrorRefused,
  type MirrorRecord,
  type MirrorState,
  type MirrorStore,
  type RecordName,
  unusable,
} from './mirror-store.ts';
import { createRewritingPace } from './rewriting-pace.ts';
import { localDayInSqlite } from './spending.ts';
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

export const SQLITE: Dialect = {
  types: {
    uuid: 'text',
    text: 'text',
    integer: 'integer',
    number: 'real',
    boolean: 'integer',
    date: 'text',
    timestamp: 'text',
    json: 'text',
  },
  value: (_, text) => text,
  json: 'text',
  looseReferences: true,
  hoursAgo: (hours) => `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${hours} hours')`,
  localDay: localDayInSqlite,
  facts: (list) => `json_each(${list}) f`,
  fact: (field) => `json_extract(f.value, '$.${field}')`,
};

const PROGRESS = `
  create table if not exists civic_records_fresh (resource text not null, id text not null, data text not null, primary key (resource, id)) without rowid;
  create table if not exists civic_replica (singleton integer primary key check (singleton = 1), state text not null, schema text);`;
const UPSERT_FRESH =
  'insert into civic_records_fresh values (?, ?, ?) on conflict (resource, id) do update set data = excluded.data';
const BUSY_TIMEOUT = 'pragma busy_timeout = 10000;';
/** Marks a file that might contain bytes of replaced or removed text. */
const UNTIDY = 1;
const MARK_UNTIDY = `pragma user_version = ${UNTIDY}`;

/**
 * Creates the full-text index of a table and the triggers that update it. The index does not store the text again. It
 * does not use `secure-delete`, because SQLite before 3.42 could not read the index then.
 */
function createSearch(table: string): string {
  const columns = searchedColumns(table);
  if (columns.length === 0) return '';
  const index = quoted(`${table}_fts`);
  const names = columns.map(quoted).join(', ');
  const listColumns = (row: 'old' | 'new') => columns.map((name) => `${row}.${quoted(name)}`).join(', ');
  const remove = `insert into ${index} (${index}, rowid, ${names}) values ('delete', old.rowid, ${listColumns('old')});`;
  const add = `insert into ${index} (rowid, ${names}) values (new.rowid, ${listColumns('new')});`;
  const differs = columns.map((name) => `old.${quoted(name)} is not new.${quoted(name)}`).join(' or ');
  return `drop table if exists ${index};
    create virtual table ${index} using fts5 (${names}, content=[${table}], tokenize='porter unicode61');
    insert into ${index} (${index}) values ('rebuild');
    ${['insert', 'delete', 'update'].map((kind) => `drop trigger if exists ${table}_search_${kind};`).join(' ')}
    create trigger ${table}_search_insert after insert on ${quoted(table)} begin ${add} end;
    create trigger ${table}_search_delete after delete on ${quoted(table)} begin ${remove} end;
    create trigger ${table}_search_update after update on ${quoted(table)} when ${differs} begin ${remove} ${add} end;`;
}

/**
 * Migrates a file to these tables: a new one, one of an earlier version, or one with a single JSON table. Loses no
 * record.
 */
function migrate(database: DatabaseSync, tables: MirrorTables): void {
  const views = viewsOf(SQLITE, tables);
  const shape = Object.entries(tables).map(([table, columns]) => [
    createTable(SQLITE, table, columns),
    ...createIndexes(table, columns),
    createSearch(table),
  ]);
  const schema = hash('sha256', JSON.stringify([shape, views]));
  const names = (statement: string, ...values: string[]) =>
    new Set((database.prepare(statement).all(...values) as { name: string }[]).map(({ name }) => name));
  database.exec(PROGRESS);
  if (!names('select name from pragma_table_info(?)', 'civic_replica').has('schema')) {
    database.exec('alter table civic_replica add column schema text');
  }
  const stored = database.prepare('select schema from civic_replica').get()?.['schema'] ?? null;
  if (stored === schema) return;
  const single = names(`select name from sqlite_master where type = 'table'`).has('civic_records');
  if (stored !== null) for (const view of Object.keys(views)) database.exec(`drop view if exists ${view}`);
  for (const [table, columns] of Object.entries(tables)) {
    const existing = names('select name from pragma_table_info(?)', table);
    if (stored === null || existing.size === 0) database.exec(createTable(SQLITE, table, columns));
    for (const column of columns) {
      const missing = existing.size > 0 && !existing.has(columnNames([column])[0]!);
      if (missing) database.exec(`alter table ${quoted(table)} add column ${columnDefinition(SQLITE, column)}`);
    }
    if (single) database.exec(upsertFrom(SQLITE, table, columns, rowsOf('civic_records', table)));
    else database.exec(refill(SQLITE, table, columns));
    database.exec([...createIndexes(table, columns), createSearch(table)].join(';'));
  }
  if (single) database.exec('drop table civic_records');
  for (const [view, select] of Object.entries(views)) database.exec(`create view ${view} as ${select}`);
  database.exec(MARK_UNTIDY);
  database
    .prepare(
      'insert into civic_replica (singleton, state, schema) values (1, ?, ?) on conflict do update set schema = excluded.schema',
    )
    .run(JSON.stringify({ phase: 'empty' } satisfies MirrorState), schema);
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    try {
      database.exec('rollback');
    } catch {
      // SQLite rolled back on its own, for example on a full disk: the first error is the cause.
    }
    throw error;
  }
}

const DISK_FULL = 13;
/** Returns the primary result code of SQLite; 0 for another error. */
const codeOf = (error: unknown): number => ((error as { readonly errcode?: number }).errcode ?? 0) & 0xff;
/** Advice by primary result code of SQLite. */
const ADVICE: Readonly<Record<number, string>> = {
  11: 'it is damaged: remove it, and run the same command again for a new copy',
  [DISK_FULL]: 'free some space on its disk, and run the same command again',
  14: 'its folder must exist, on a file system that can be written',
};

const createRefusal = (file: string, error: unknown): MirrorRefused =>
  unusable(`the SQLite file ${file}`, error, ADVICE[codeOf(error)]);

/** Creates the error for a file with all records that could not be rewritten, which needs as much free space again. */
function createTidyRefusal(file: string, error: unknown): MirrorRefused {
  const isFull = codeOf(error) === DISK_FULL;
  const problem = isFull ? 'its disk is full' : `erased text could not be removed from it: ${(error as Error).message}`;
  const remedy = isFull ? 'free as much space as the file takes, and run the same command again' : 'run it again';
  return new MirrorRefused(`${file} is up to date, but ${problem}; ${remedy}`);
}

/** Wraps an error of SQLite in one that names the file; returns any other error. */
const nameFile = (file: string, error: unknown): unknown =>
  (error as { readonly errcode?: number }).errcode === undefined ? error : createRefusal(file, error);

function nameFileInErrors<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw nameFile(file, error);
  }
}

/** Opens the file and migrates its tables. Throws `MirrorRefused`. */
function openFile(file: string, tables: MirrorTables): DatabaseSync {
  if (file === '') throw new MirrorRefused('sqlite: needs the name of a file, such as sqlite:mirror.db');
  try {
    const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    database.exec(`${BUSY_TIMEOUT} pragma secure_delete = on; pragma synchronous = full; pragma journal_mode = wal;`);
    inTransaction(database, () => migrate(database, tables));
    return database;
  } catch (error) {
    throw createRefusal(file, error);
  }
}

/** Writes records to the copy that is being made (`fresh`) or to the one that readers see (`shown`). */
function createWriters(database: DatabaseSync, tables: MirrorTables) {
  const prepared = new Map<string, StatementSync>();
  const run = (sql: string, ...values: string[]): void => {
    let statement = prepared.get(sql);
    if (statement === undefined) prepared.set(sql, (statement = database.prepare(sql)));
    statement.run(...values);
  };
  return {
    run,
    fresh: {
      upsert: ({ resource, id, data }: MirrorRecord) => run(UPSERT_FRESH, resource, id, data),
      remove: ({ resource, id }: RecordName) =>
        run('delete from civic_records_fresh where resource = ? and id = ?', resource, id),
    },
    shown: {
      upsert: ({ resource, id, data }: MirrorRecord) =>
        run(upsertFrom(SQLITE, resource, tables[resource]!, '(select ? as id, ? as data)'), id, data),
      remove: ({ resource, id }: RecordName) => run(`delete from ${quoted(resource)} where id = ?`, id),
    },
  };
}

/**
 * Removes the text of erased records from the file:
 *
 * - untidy: the search index contains words of a removed text until its segments are merged, and a page might contain a
 *   copy of moved rows. A rewrite of the file ends this.
 * - logged: the write-ahead log might contain such text. A checkpoint ends this; a reader can block it, and the next
 *   poll retries.
 */
function createTidying(database: DatabaseSync, file: string, tables: MirrorTables) {
  const indexes = Object.keys(tables).filter((table) => searchedColumns(table).length > 0);
  const optimize = indexes.map((table) => `insert into ${table}_fts (${table}_fts) values ('optimize')`).join(';');
  const isUntidy = () => database.prepare('pragma user_version').get()?.['user_version'] === UNTIDY;
  const pace = createRewritingPace();
  let logged = true;
  return {
    markLogged: (): void => {
      logged = true;
    },
    tidy: async (now: boolean): Promise<void> => {
      if (isUntidy()) {
        await pace(now, async () => {
          logged = true;
          try {
            database.exec(`${optimize}; vacuum; pragma user_version = 0`);
          } catch (error) {
            // Another program is writing, or the disk is full: a mirror that follows the feed retries later.
            if (now) throw createTidyRefusal(file, error);
          }
        });
      }
      if (!logged) return;
      database.exec('pragma busy_timeout = 100');
      logged = database.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] !== 0;
      database.exec(BUSY_TIMEOUT);
    },
  };
}

/**
 * Opens a mirror in a SQLite file: one table for each resource, views and full-text search. Other programs may read it
 * at any time.
 */
export function openSqliteStore(file: string, tables: MirrorTables = MIRROR_TABLES): MirrorStore {
  const database = openFile(file, tables);
  const { run, fresh, shown } = createWriters(database, tables);
  const { markLogged, tidy } = createTidying(database, file, tables);
  const readState = database.prepare('select state from civic_replica');
  const stored = () => readState.get()!['state'] as string;
  let lastState = stored();
  const write = ({ upserts, removes, copy }: MirrorCommit, next: string): void => {
    if (stored() !== lastState)
      throw new MirrorRefused(`another replicator has written to ${file} at the same time; run one at a time`);
    if (copy === 'begin') run('delete from civic_records_fresh');
    const isCopying = copy === 'begin' || (JSON.parse(lastState) as MirrorState).phase === 'snapshot';
    const writer = isCopying ? fresh : shown;
    upserts.forEach(writer.upsert);
    removes.forEach(writer.remove);
    if (copy === 'finish') {
      for (const statement of finishCopy(SQLITE, tables)) database.exec(statement);
      database.exec('delete from civic_records_fresh');
    }
    run('update civic_replica set state = ?', next);
    if (copy !== undefined || upserts.length + removes.length > 0) database.exec(MARK_UNTIDY);
  };
  return {
    state: async () => JSON.parse(lastState) as MirrorState,
    async commit(commit) {
      const next = JSON.stringify(commit.state);
      nameFileInErrors(file, () => inTransaction(database, () => write(commit, next)));
      lastState = next;
      markLogged();
    },
    async *records() {
      try {
        for (const row of database.prepare('select resource, id, data from civic_records').iterate())
          yield { resource: String(row.resource), id: String(row.id), data: String(row.data) };
      } catch (error) {
        throw nameFile(file, error);
      }
    },
    findStale: async (resource) =>
      nameFileInErrors(file, () =>
        describeStale(database.prepare(staleRow(SQLITE, resource, tables[resource]!)).get()),
      ),
    tidy,
    close: async () => database.close(),
  };
}
