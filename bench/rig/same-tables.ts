import type { Client } from 'pg';

/** Rows of either table that the other lacks, compared as a whole. */
export async function rowsThatDiffer(client: Client, left: string, right: string): Promise<number> {
  const rows = (table: string) => `select sha256(convert_to(t::text, 'UTF8')) from ${table} t`;
  const only = (one: string, other: string) => `(select count(*) from (${rows(one)} except all ${rows(other)}) d)`;
  const { rows: counts } = await client.query<{ n: string }>(`select ${only(left, right)} + ${only(right, left)} as n`);
  return Number(counts[0]!.n);
}

export const rowsOf = async (client: Client, table: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]!.n);

/** Returns some of the rows that `rowsThatDiffer` counts, as text, each with the name of its table. */
export async function someThatDiffer(client: Client, left: string, right: string): Promise<readonly string[]> {
  const texts = (one: string, other: string) =>
    `(select '${one} ' || left(d.row, 400) as row from (select t::text from ${one} t except all select t::text from ${other} t) d (row) limit 3)`;
  const { rows } = await client.query<{ row: string }>(`${texts(left, right)} union all ${texts(right, left)}`);
  return rows.map(({ row }) => row);
}
