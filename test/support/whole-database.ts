import { Client } from 'pg';

/** Every row of every table of a database as text, the words of its search indexes among them, by table. */
export async function wholeDatabase(url: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_temp%'
         and n.nspname not like 'pg_toast%' order by 1`,
    );
    const whole = new Map<string, readonly string[]>();
    for (const { name } of tables) {
      // A table of an earlier generation might be dropped in between: it counts as empty.
      const { rows } = await client
        .query<{ line: string }>(`select t::text as line from ${name} t`)
        .catch((error: { code?: string }) => {
          if (error.code === '42P01') return { rows: [] };
          throw error;
        });
      whole.set(name, rows.map(({ line }) => line).toSorted());
    }
    return whole;
  } finally {
    await client.end();
  }
}

/** The tables that contain a text, in any case, also in JSON or an array. */
export const tablesWith = (whole: ReadonlyMap<string, readonly string[]>, text: string): readonly string[] =>
  [...whole]
    .filter(([, lines]) => lines.some((line) => line.toLowerCase().includes(text.toLowerCase())))
    .map(([name]) => name);
