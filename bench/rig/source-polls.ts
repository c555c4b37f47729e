import type { Client } from 'pg';

const CHECK_MS = 250;

/** Milliseconds between two polls of 200 sources that are polled every 15 minutes each. */
const POLL_EVERY_MS = 4500;
/** Milliseconds without polls, less than the interval of a source. */
const PAUSE_MS = 800_000;

const ADDED = `name like 'poll civicplus:site-%'`;
const NUMBER = `substring(name from 'site-([0-9]+)')::int`;
const NOW_MS = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Makes the added sources due one after another, as their own times do, the source of site `first` at once. */
export async function spreadPolls(client: Client, sources: number, first: number): Promise<void> {
  await client.query(
    `update civic.processors set due_at = ${NOW_MS} + ((${NUMBER} - $2 + $1) % $1) * $3 where ${ADDED}`,
    [sources, first, POLL_EVERY_MS],
  );
}

/** Makes no added source due for longer than a measurement. Resolves when the running polls have ended. */
export async function pausePolls(client: Client, sources: number): Promise<void> {
  const pause = () => client.query(`update civic.processors set due_at = ${NOW_MS} + $1 where ${ADDED}`, [PAUSE_MS]);
  await pause();
  while (!(await arePolled(client, sources))) await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
  // The polls that have just ended have new times.
  await pause();
}

/** True if this number of added sources has been polled and none is running. */
export async function arePolled(client: Client, sources: number): Promise<boolean> {
  const { rows } = await client.query<{ readonly polled: number }>(
    `select count(*)::int as polled from civic.processors where ${ADDED} and due_at > 0 and owner is null`,
  );
  return rows[0]!.polled >= sources;
}
