import type { Client } from 'pg';
import { AGENDA } from '../../projections/agenda/tables.ts';
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

function fillUpcoming(generation: number): string {
  const { hits, coveredBodies, coveredTopics } = AGENDA.at(generation);
  return `
  create schema if not exists yardstick;
  drop table if exists yardstick.upcoming;
  create table yardstick.upcoming (topic_id uuid, starts_at bigint, classified_at bigint, hit_id uuid, doc json not null,
    primary key (topic_id, starts_at, classified_at, hit_id));
  insert into yardstick.upcoming
    select h.topic_id, h.starts_at, h.classified_at, h.hit_id,
      ('{"matchId":"' || h.hit_id || '",' || b.lead || ',' || t.lead || ',' || h.context || ',' || h.own || '}')::json
    from ${hits} h join ${coveredBodies} b using (body_id) join ${coveredTopics} t using (topic_id)
    where h.listed order by h.topic_id, h.starts_at, h.classified_at, h.hit_id;
  vacuum analyze yardstick.upcoming`;
}

/** Copies a read model's rows into a table of the same server. */
async function copyRows(client: Client, projection: string, fill: (generation: number) => string): Promise<void> {
  const { rows } = await client.query<{ live: number }>(`select live_generation as live from civic.projections where name = $1`, [
    projection,
  ]);
  for (const statement of fill(rows[0]!.live).split(';')) await client.query(statement);
}

export const fillPlainFeed = (client: Client): Promise<void> => copyRows(client, 'record_history', fillFeed);

/** Starts a yardstick on the database of a data directory, where `prepare` has run. */
async function startOn(dataDir: string, program: string, prepare?: (client: Client) => Promise<void>): Promise<YardstickProgram> {
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

const PLAIN = 'plain-feed.ts';
export const startPlainFeed = (dataDir: string): Promise<YardstickProgram> => startOn(dataDir, PLAIN, fillPlainFeed);

export const startPlainUpcoming = (dataDir: string): Promise<YardstickProgram> =>
  startOn(dataDir, PLAIN, (client) => copyRows(client, 'agenda', fillUpcoming));

export const startLeastAnswers = (dataDir: string): Promise<YardstickProgram> => startOn(dataDir, 'least-answers.ts');
