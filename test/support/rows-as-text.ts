import { Client } from 'pg';
import { clientConfig } from '../../infra/postgresql/connection/sessions.ts';

/** Runs a statement on a separate connection. Returns rows as arrays of text, for tests that compare whole rows. */
export async function rowsAsText(
  dsn: string,
  text: string,
  values: readonly (string | number | null)[] = [],
): Promise<readonly (readonly (string | null)[])[]> {
  const types = { getTypeParser: () => (column: unknown) => column };
  const client = new Client({ ...clientConfig({ dsn, purpose: 'test-rows' }), types });
  await client.connect();
  try {
    const query = { text, values: [...values], rowMode: 'array' as const };
    return (await client.query<(string | null)[]>(query)).rows;
  } finally {
    await client.end();
  }
}
