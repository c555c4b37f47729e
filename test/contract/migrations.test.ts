import { afterAll, describe, expect, inject, test } from 'vitest';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import {
  DatabaseRefused,
  explain,
  migrate,
  MIGRATION_LOCK,
  MIGRATIONS_FOLDER,
  readSchemaState,
  refuseUnusable,
  withClient,
} from '../../infra/postgresql/connection/schema-state.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { createProcessorStore } from '../../infra/postgresql/leases/processor-store.ts';
import { readCatalogue } from '../support/postgresql-catalogue.ts';
import { startEmptyDatabase } from '../support/embedded-database.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
async function emptyDatabase(): Promise<string> {
  const database = await startEmptyDatabase();
  closing.push(async () => await database.close());
  return database.url;
}

const schemaState = (dsn: string) => withClient({ dsn, purpose: 'schema' }, readSchemaState);

async function run(dsn: string, sql: string): Promise<void> {
  const client = new Client(dsn);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
async function refusal(dsn: string): Promise<string> {
  const error = await migrate(dsn).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DatabaseRefused);
  expect((error as Error).message).not.toContain('\n');
  return (error as Error).message;
}

describe('the schema', () => {
  test('is waited for aloud while another process migrates it', async () => {
    const dsn = await emptyDatabase();
    const notice = Promise.withResolvers<string>();
    const migrating = await withClient({ dsn, purpose: 'migrate' }, async (client) => {
      await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
      const waiting = migrate(dsn, { logger: { warn: (_, message) => notice.resolve(message) } });
      expect(await notice.promise).toMatch(/^waiting for another process that migrates the database/);
      return { waiting };
    });
    expect(await migrating.waiting).not.toEqual([]);
  });

  test('does not change when migrated again', async () => {
    const dsn = await emptyDatabase();
    expect((await schemaState(dsn)).kind).toBe('empty');
    const applied = await migrate(dsn);
    expect(applied[0]).toBe('0001-event-log');
    const before = await readCatalogue(dsn);
    expect(await migrate(dsn)).toEqual([]);
    expect(await readCatalogue(dsn)).toEqual(before);
    expect(await schemaState(dsn)).toMatchObject({ kind: 'current', applied, pending: [], unknown: [] });
  });

  test('is refused when a newer version wrote it, and is not changed', async () => {
    const dsn = await emptyDatabase();
    await migrate(dsn);
    await run(dsn, `insert into civic.migrations (name, run_on) values ('9999-from-the-future', '2030-01-01')`);
    const before = await readCatalogue(dsn);
    expect(await refusal(dsn)).toMatch(
      /was written by a newer version \(.*9999-from-the-future\); start that version or restore an older/,
    );
    expect(await readCatalogue(dsn)).toEqual(before);
  });
});

describe('a database of an older release', () => {
  test('keeps the checkpoints of reactors and the due times of jobs', async () => {
    const dsn = await emptyDatabase();
    await run(dsn, 'create schema civic');
    const client = new Client(dsn);
    await client.connect();
    const schema = { dir: MIGRATIONS_FOLDER, migrationsSchema: 'civic', migrationsTable: 'migrations' };
    await runner({ ...schema, dbClient: client, direction: 'up', count: 22, log: () => undefined });
    await client.query(`insert into civic.reactors (name, checkpoint, handled, token) values ('reports', '00000000000000000042', 7, 3);
      insert into civic.regular_turns (name, owner, token, lease_until, due_at) values ('prune', 'a process', 9, 5, 1000)`);
    expect(await migrate(dsn)).toContain('0023-processors');
    const database = await openDatabase({ dsn, statementTimeoutMs: 10_000 });
    const store = createProcessorStore(database.transactor);
    expect(await store.listReactors()).toMatchObject([
      { name: 'reports', checkpoint: '00000000000000000042', handled: 7, token: 3 },
    ]);
    expect(await store.acquireJob({ name: 'prune', everyMs: 60_000 }, 'another', 999, 60_000)).toBeNull();
    expect(await store.acquireJob({ name: 'prune', everyMs: 60_000 }, 'another', 1_000, 60_000)).toEqual({
      name: 'prune',
      owner: 'another',
      token: 10,
    });
    await database.close();
    await client.end();
  });

  test('finds the words of the documents that it stored before they were indexed', async () => {
    const dsn = await emptyDatabase();
    const client = new Client(dsn);
    await client.connect();
    const schema = { dir: MIGRATIONS_FOLDER, migrationsSchema: 'civic', migrationsTable: 'migrations' };
    await client.query('create schema civic');
    await runner({ ...schema, dbClient: client, direction: 'up', count: 32, log: () => undefined });
    await client.query(`insert into civic.document_texts (sha256, bytes, text, agenda, reading_version)
      values (repeat('0', 64), 1, 'Interpreters of sign language', '{}', 1)`);
    await runner({ ...schema, dbClient: client, direction: 'up', count: 1, log: () => undefined });
    await client.query(`update civic.document_texts set meeting_id = '018f6f7e-7d5a-7cc3-98c4-dc0c0c07398f'`);
    expect(await migrate(dsn)).toContain('0035-meetings-of-documents');
    const shown = await client.query(`select meeting_ids::text as ids from civic.document_texts`);
    expect(shown.rows).toEqual([{ ids: '{018f6f7e-7d5a-7cc3-98c4-dc0c0c07398f}' }]);
    const { rows } = await client.query(
      `select sha256 from civic.document_texts where words @@ websearch_to_tsquery('pg_catalog.english', 'interpreter')`,
    );
    expect(rows).toEqual([{ sha256: '0'.repeat(64) }]);
    await client.end();
  });

  test('keeps the pruned position, the open reports and the rates of a build under their new names', async () => {
    const dsn = await emptyDatabase();
    const client = new Client(dsn);
    await client.connect();
    const schema = {
      dir: MIGRATIONS_FOLDER,
      migrationsSchema: 'civic',
      migrationsTable: 'migrations',
      createMigrationsSchema: true,
    };
    await runner({ ...schema, dbClient: client, direction: 'up', count: 23, log: () => undefined });
    await client.query(`update civic.feed_retention set mark = 42;
      update civic.report_queue set counted = 3, reckoned = 7;
      insert into civic.projections (name) values ('reports');
      insert into civic.generations (projection, version, state, checkpoint, place, stretch_at, stretch_folded, stretch_place, pace, created_at, changed_at)
        values ('reports', 3, 'live', '0', 5, 6, 7, 8, 9.5, 1, 1)`);
    expect((await migrate(dsn))[0]).toBe('0024-column-names');
    const { rows } = await client.query({
      text: `select f.pruned_through, q.counted, q.recounts, g.events_read, g.window_since, g.window_folded, g.window_events_read, g.read_rate
        from civic.feed_retention f, civic.report_queue q, civic.generations g`,
      rowMode: 'array',
    });
    expect(rows).toEqual([['42', '3', '7', '5', '6', '7', '8', 9.5]]);
    await expect(client.query('update civic.feed_retention set pruned_through = 41')).rejects.toThrow(
      'pruned_through never falls',
    );
    await client.end();
  });
});

describe('concurrent migrators', () => {
  test('apply each migration exactly once and all succeed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const dsn = await emptyDatabase();
      const all = await Promise.all(Array.from({ length: 6 }, async () => await migrate(dsn)));
      const appliedBefore = (await schemaState(dsn)).applied;
      expect(all.flat().toSorted()).toEqual(appliedBefore.toSorted());
      expect(all.filter((applied) => applied.length > 0)).toHaveLength(1);
    }
  });
});

describe('a database that this program did not create', () => {
  test('is refused when it holds tables of another program', async () => {
    const dsn = await emptyDatabase();
    await run(dsn, 'create table customers (id int)');
    expect(await refusal(dsn)).toMatch(/ contains tables of another program; set DATABASE_URL to an empty database/);
    expect((await schemaState(dsn)).kind).toBe('foreign');
  });

  test('is accepted when it contains only an extension', async () => {
    const dsn = await emptyDatabase();
    await run(dsn, 'create extension pg_stat_statements; create extension pg_trgm');
    await expect(migrate(dsn)).resolves.not.toEqual([]);
  });

  test('is refused and not changed in an encoding that lacks characters', async () => {
    const name = `test_latin1_${Date.now()}`;
    const server = inject('testServerUrl');
    await run(server, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    closing.push(() => run(server, `drop database ${name} with (force)`));
    const dsn = server.replace(/\/[^/]*$/, `/${name}`);
    expect(await refusal(dsn)).toMatch(
      /has the encoding LATIN1, which does not have every character; make one with "create database/,
    );
    expect((await schemaState(dsn)).kind).toBe('empty');
  });

  test('is refused if read-only or behind a pooler that accepts no settings, with what to do', async () => {
    const dsn = await emptyDatabase();
    await run(dsn, `alter database ${dsn.split('/').at(-1)} set default_transaction_read_only = on`);
    expect(await refusal(dsn)).toMatch(/is read-only: it is a standby, or .*; name the primary in DATABASE_URL/);
    const current = await emptyDatabase();
    await migrate(current);
    await run(current, `alter database ${current.split('/').at(-1)} set default_transaction_read_only = on`);
    expect(await refusal(current)).toMatch(/is read-only: it is a standby, or .*; name the primary in DATABASE_URL/);
    const pooler = explain(Object.assign(new Error('unsupported startup parameter: options'), { code: '08P01' }), dsn);
    expect((pooler as Error).message).toMatch(
      /is behind a connection pooler .* \(PgBouncer\); name the server itself in DATABASE_URL/,
    );
  });

  test('is refused on a server older than 15', () => {
    const state = {
      kind: 'empty',
      serverVersion: 140_011,
      encoding: 'UTF8',
      readOnly: false,
      applied: [],
      pending: [],
      unknown: [],
    } as const;
    expect(() => refuseUnusable(state, 'postgres://db.example.org/civic')).toThrow(
      /PostgreSQL 14; use PostgreSQL 15 or newer/,
    );
  });

  test('is refused with one line without the password if it is missing, unreachable or no address', async () => {
    expect(await refusal((await emptyDatabase()).replace(/test_\w+$/, 'nothing'))).toMatch(
      /nothing does not exist; create it or correct DATABASE_URL/,
    );
    const closed = await refusal('postgres://someone:hunter2@127.0.0.1:1/civic');
    expect(closed).toMatch(
      /127\.0\.0\.1:1\/civic could not be reached \(ECONNREFUSED\); start it or correct DATABASE_URL/,
    );
    expect(closed).not.toContain('hunter2');
    expect(await refusal('nonsense:://hunter2')).not.toContain('hunter2');
  });
});
