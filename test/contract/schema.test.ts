import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { startEmptyDatabase, startTestDatabase } from '../support/embedded-database.ts';
import { readCatalogue } from '../support/postgresql-catalogue.ts';

const SCHEMA = new URL('../../infra/postgresql/schema.sql', import.meta.url);
/** The table in which the migrations themselves are recorded. */
const OF_MIGRATIONS = /^\w+ (civic\.)?migrations(_|\.|$| )|of civic\.migrations$/;

const [migrated, described] = await Promise.all([startTestDatabase(), startEmptyDatabase()]);
afterAll(async () => {
  await Promise.all([migrated.close(), described.close()]);
});

test('schema.sql describes the schema that all migrations create', async () => {
  const client = new Client(described.url);
  await client.connect();
  await client.query(`create schema civic; ${readFileSync(SCHEMA, 'utf8')}`);
  await client.end();

  const migratedCatalogue = await readCatalogue(migrated.url);
  const describedCatalogue = await readCatalogue(described.url);
  const names = [...new Set([...Object.keys(migratedCatalogue), ...Object.keys(describedCatalogue)])].filter(
    (name) => !OF_MIGRATIONS.test(name),
  );
  expect(names.length).toBeGreaterThan(200);
  const differences = names
    .filter((name) => migratedCatalogue[name] !== describedCatalogue[name])
    .map((name) => ({
      object: name,
      'schema.sql': describedCatalogue[name] ?? 'absent',
      migrations: migratedCatalogue[name] ?? 'absent',
    }));
  expect(differences, 'write what the migrations create into infra/postgresql/schema.sql').toEqual([]);
});
