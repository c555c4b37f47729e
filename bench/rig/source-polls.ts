import type { Client } from 'pg';

const CHECK_MS = 250;

const ADDED = `name like 'poll civicplus:site-%'`;

/** Makes this number of added sources due; the service polls them within seconds. */
export async function makePollsDue(client: Client, count: number): Promise<void> {
  await client.query(
    `update civic.processors set due_at = 1
      where name in (select name from civic.processors where ${ADDED} order by due_at limit $1)`,
    [count],
  );
}

/** True if this number of added sources has been polled and none is due or running. */
export async function arePolled(client: Client, sources: number): Promise<boolean> {
  const { rows } = await client.query<{ readonly polled: number }>(
    `select count(*)::int as polled from civic.processors where ${ADDED} and due_at > 1 and owner is null`,
  );
  return rows[0]!.polled >= sources;
}

/** Resolves when this number of added sources has been polled and none is due or running. */
export async function untilPolled(client: Client, sources: number): Promise<void> {
  while (!(await arePolled(client, sources))) await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
}
