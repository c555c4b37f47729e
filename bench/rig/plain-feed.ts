import type { Client } from 'pg';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { holdDatabase } from './database.ts';
import { startYardstick, type YardstickProgram } from './yardstick-program.ts';

const fillFeed = (generation: number): string => `
  create schema if not exists yardstick;
  drop table if exists yardstick.feed;
  create table yardstick.feed (position bigint primary key, id uuid not null, doc json not null);
  insert into yardstick.feed
    select position, record_id, ('{"cursor":"' || lpad(position::text, 56, '0') || '",' || envelope || coalesce(body, '') || '}')::json
    from ${RECORD_HISTORY.at(generation).history} order by position;
  create index on yardstick.feed (id);
  vacuum analyze yardstick.feed`;

/** Copies the rows of the feed into a table of the same server. */
export async function fillPlainFeed(client: Client): Promise<void> {
  const { rows } = await client.query<{ live: number }>(
    `select live_generation as live from civic.projections where name = 'record_history'`,
  );
  for (const statement of fillFeed(rows[0]!.live).split(';')) await client.query(statement);
}

/** Starts a yardstick on the database of a data directory, where `prepare` has run. */
async function startOn(
  dataDir: string,
  program: string,
  prepare?: (client: Client) => Promise<void>,
): Promise<YardstickProgram> {
  const database = await holdDatabase(dataDir);
  await prepare?.(database.client);
  const started = await startYardstick(program, { DSN: database.url });
  return {
    ...started,
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

export const startPlainFeed = (dataDir: string): Promise<YardstickProgram> =>
  startOn(dataDir, 'plain-feed.ts', fillPlainFeed);

export const startLeastAnswers = (dataDir: string): Promise<YardstickProgram> => startOn(dataDir, 'least-answers.ts');
