import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { DatabaseRefused, explain, migrate } from '../../infra/postgresql/connection/schema-state.ts';
import { createGenerationStore } from '../../infra/postgresql/read-models/generations.ts';
import { openDatabase } from '../../infra/postgresql/connection/open-database.ts';
import { agendaSearch } from '../../projections/agenda-search/projection.ts';
import { startEmptyDatabase, type TestDatabase } from '../support/embedded-database.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function on(dsn: string, ...statements: readonly string[]): Promise<readonly object[]> {
  const client = new Client(dsn);
  await client.connect();
  try {
    let rows: readonly object[] = [];
    for (const statement of statements) ({ rows } = await client.query<object>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

/** A database and a user that is no superuser, owns nothing and has these rights. */
async function asUser(rights: string): Promise<{ readonly database: TestDatabase; readonly dsn: string }> {
  const database = await startEmptyDatabase();
  const user = `user_${randomBytes(6).toString('hex')}`;
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  await on(
    database.url,
    `create role ${user} login password '${url.password}'`,
    rights.replaceAll('DATABASE', name).replaceAll('USER', user),
  );
  closing.push(async () => {
    await on(database.url, `drop owned by ${user} cascade`);
    await database.close();
  });
  url.username = user;
  return { database, dsn: url.toString() };
}

async function nearWords(dsn: string): Promise<readonly object[]> {
  const database = await openDatabase({ dsn, statementTimeoutMs: 10_000 });
  try {
    const { generation } = await createGenerationStore(database.transactor).create(agendaSearch, 'live', 0);
    const words = `civic.agenda_search_words_g${generation}`;
    await on(dsn, `insert into ${words} values ('restaurant', 'restaur', 1), ('zoning', 'zone', 2)`);
    return await on(dsn, `select word, records::int from civic.near_words('${words}', 'resturant', 5)`);
  } finally {
    await database.close();
  }
}

describe('near words', () => {
  test.each([
    ['by a user who may create in the database and is no superuser', 'grant create on database DATABASE to USER'],
    [
      'where the extension stands in a schema of its own',
      'create schema extensions; create extension pg_trgm schema extensions; grant usage on schema extensions to USER; grant create on database DATABASE to USER',
    ],
    [
      'where the extension is in the schema public',
      'create extension pg_trgm; grant create on database DATABASE to USER',
    ],
  ])('are found %s', async (_, rights) => {
    const { dsn } = await asUser(rights);
    await migrate(dsn);
    expect(await nearWords(dsn)).toEqual([{ word: 'restaurant', records: 1 }]);
  });

  test.each([
    [
      '42501',
      'permission denied to create extension "pg_trgm"',
      /does not let this user add pg_trgm; .* run "create extension pg_trgm" there once$/,
    ],
    [
      '0A000',
      'extension "pg_trgm" is not available',
      /does not have pg_trgm; install PostgreSQL's contrib modules on it$/,
    ],
    [
      '58P01',
      'could not open extension control file "…": No such file',
      /does not have pg_trgm; install PostgreSQL's contrib modules on it$/,
    ],
    ['42501', 'permission denied for schema civic', /does not let this user create tables/],
  ])('that a server refuses with %s are reported in one line that says what to do', (code, message, expected) => {
    const refusal = explain(
      Object.assign(new Error(message), { code }),
      'postgres://someone:hunter2@db.example.org/civic',
    );
    expect(refusal).toBeInstanceOf(DatabaseRefused);
    expect((refusal as Error).message).toMatch(expected);
    expect((refusal as Error).message).not.toContain('hunter2');
  });
});
