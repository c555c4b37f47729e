import { Client } from 'pg';
import { FINISH_COPY, MirrorRefused, type MirrorRecord, type MirrorState, type MirrorStore } from './mirror-store.ts';

const SCHEMA = `
  create table if not exists civic_records (resource text not null, id uuid not null, data json not null, primary key (resource, id));
  create table if not exists civic_records_fresh (like civic_records including all);
  create table if not exists civic_replica (singleton boolean primary key default true check (singleton), state json not null)`;
const LOCK = '6022140760217896';
const PAGE = 1000;
const WRITE_STATE = 'insert into civic_replica (state) values ($1) on conflict (singleton) do update set state = excluded.state';

const keysOf = (rows: readonly { resource: string; id: string }[]) => [rows.map(({ resource }) => resource), rows.map(({ id }) => id)];
const upsertInto = (table: string) => `insert into ${table} (resource, id, data)
  select * from unnest($1::text[], $2::uuid[], $3::json[]) on conflict (resource, id) do update set data = excluded.data`;
const removeFrom = (table: string) => `delete from ${table} r using unnest($1::text[], $2::uuid[]) as d (resource, id)
  where r.resource = d.resource and r.id = d.id`;

/** A mirror in a PostgreSQL database: table `civic_records` (resource, id, data as JSON). A second replicator on it is refused. */
export async function openPostgresStore(url: string): Promise<MirrorStore> {
  const client = new Client({ connectionString: url, application_name: 'civic replicate' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${LOCK}) as taken`);
    if (!rows[0]?.taken) throw new Error('another replicator uses it');
    await client.query(SCHEMA);
  } catch (error) {
    await client.end();
    throw new MirrorRefused(`the PostgreSQL database cannot be used: ${(error as Error).message}`);
  }
  const stateNow = async (): Promise<MirrorState> => {
    const { rows } = await client.query<{ state: MirrorState }>('select state from civic_replica');
    return rows[0]?.state ?? { phase: 'empty' };
  };
  return {
    state: stateNow,
    async commit({ state, upserts, removes, copy }) {
      await client.query('begin');
      try {
        if (copy === 'begin') await client.query('delete from civic_records_fresh');
        const table = copy === 'begin' || (await stateNow()).phase === 'snapshot' ? 'civic_records_fresh' : 'civic_records';
        if (upserts.length > 0) await client.query(upsertInto(table), [...keysOf(upserts), upserts.map(({ data }) => data)]);
        if (removes.length > 0) await client.query(removeFrom(table), keysOf(removes));
        if (copy === 'finish') await client.query(FINISH_COPY);
        await client.query(WRITE_STATE, [JSON.stringify(state)]);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    },
    async *records() {
      let after = ['', '00000000-0000-0000-0000-000000000000'];
      for (;;) {
        const { rows } = await client.query<MirrorRecord>(
          `select resource, id::text, data::text from civic_records where (resource, id) > ($1, $2) order by resource, id limit ${PAGE}`,
          after,
        );
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined) return;
        after = [last.resource, last.id];
      }
    },
    close: () => client.end(),
  };
}
