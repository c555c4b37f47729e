import { Client } from 'pg';

/** Runs a statement on a PostgreSQL server, with a separate connection. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
