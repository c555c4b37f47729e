import type { Client } from 'pg';

/** Rows that stand in one table and not in the other, both ways, each row whole. */
export const rowsThatDiffer = async (client: Client, left: string, right: string): Promise<number> => {
  const rows = (table: string) => `select sha256(convert_to(t::text, 'UTF8')) from ${table} t`;
  const only = (one: string, other: string) => `(select count(*) from (${rows(one)} except all ${rows(other)}) d)`;
  const { rows: counted } = await client.query<{ n: string }>(`select ${only(left, right)} + ${only(right, left)} as n`);
  return Number(counted[0]!.n);
};

export const rowsOf = async (client: Client, table: string): Promise<number> =>
  Number((await client.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]!.n);
