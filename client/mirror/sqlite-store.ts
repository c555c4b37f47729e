import { DatabaseSync } from 'node:sqlite';
import { FINISH_COPY, MirrorRefused, type MirrorRecord, type MirrorState, type MirrorStore } from './mirror-store.ts';

const SCHEMA = `
  create table if not exists civic_records (resource text not null, id text not null, data text not null, primary key (resource, id)) without rowid;
  create table if not exists civic_records_fresh (resource text not null, id text not null, data text not null, primary key (resource, id)) without rowid;
  create table if not exists civic_replica (singleton integer primary key check (singleton = 1), state text not null);`;

/** A mirror in a SQLite file: table `civic_records` (resource, id, data), which other programs may read at any time. */
export function openSqliteStore(file: string): MirrorStore {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file);
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 10000;');
    database.exec(SCHEMA);
  } catch (error) {
    throw new MirrorRefused(`the SQLite file ${file} cannot be used: ${(error as Error).message}`);
  }
  const into = (table: string) => ({
    upsert: database.prepare(
      `insert into ${table} (resource, id, data) values (?, ?, ?) on conflict (resource, id) do update set data = excluded.data`,
    ),
    remove: database.prepare(`delete from ${table} where resource = ? and id = ?`),
  });
  const shown = into('civic_records');
  const fresh = into('civic_records_fresh');
  const readState = database.prepare('select state from civic_replica');
  const writeState = database.prepare(
    'insert into civic_replica values (1, ?) on conflict (singleton) do update set state = excluded.state',
  );
  const stateNow = (): MirrorState => {
    const row = readState.get() as { state: string } | undefined;
    return row === undefined ? { phase: 'empty' } : (JSON.parse(row.state) as MirrorState);
  };
  return {
    state: async () => stateNow(),
    async commit({ state, upserts, removes, copy }) {
      database.exec('begin immediate');
      try {
        if (copy === 'begin') database.exec('delete from civic_records_fresh');
        const table = copy === 'begin' || stateNow().phase === 'snapshot' ? fresh : shown;
        for (const { resource, id, data } of upserts) table.upsert.run(resource, id, data);
        for (const { resource, id } of removes) table.remove.run(resource, id);
        if (copy === 'finish') database.exec(FINISH_COPY);
        writeState.run(JSON.stringify(state));
        database.exec('commit');
      } catch (error) {
        database.exec('rollback');
        throw error;
      }
    },
    async *records() {
      for (const row of database.prepare('select resource, id, data from civic_records').iterate()) yield row as unknown as MirrorRecord;
    },
    close: async () => database.close(),
  };
}
