import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startTestDatabase, type TestDatabase } from './embedded-database.ts';

/** Returns the rows of one statement, over a separate connection. */
export async function askPostgres<Row extends object>(url: string, sql: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Stores for the mirrors of a test file: a folder for each test, and a database for all of them. */
export function mirrorPlaces() {
  let folder: string;
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startTestDatabase();
  });
  afterAll(() => database?.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'civic-mirror-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return {
    administer: <Row extends object>(sql: string) => askPostgres<Row>(database.url, sql),
    get folder(): string {
      return folder;
    },
    get databaseUrl(): string {
      return database.url;
    },
    inSchema: (schema: string): string =>
      `${database.url}${database.url.includes('?') ? '&' : '?'}options=-c%20search_path%3D${encodeURIComponent(schema)}`,
  };
}
