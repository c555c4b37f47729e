import { fileURLToPath } from 'node:url';
import { recordHistoryTables } from '../../projections/record-history/tables.ts';
import { holdDatabase } from './database.ts';
import { start, stop } from './processes.ts';

const PROGRAM = fileURLToPath(new URL('../yardsticks/plain-feed.ts', import.meta.url));

const fillTable = (history: string): string => `
  create schema if not exists yardstick;
  drop table if exists yardstick.feed;
  create table yardstick.feed (position bigint primary key, id uuid not null, doc json not null);
  insert into yardstick.feed
    select position, record_id, ('{"cursor":"' || lpad(position::text, 56, '0') || '",' || envelope || coalesce(body, '') || '}')::json
    from ${history} order by position;
  create index on yardstick.feed (id);
  vacuum analyze yardstick.feed`;

/** Copies the history's rows into the yardstick's own table of the same server and starts the plain program on it. */
export const startPlainFeed = async (dataDir: string): Promise<AsyncDisposable & { readonly url: string; readonly pid: number }> => {
  const database = await holdDatabase(dataDir);
  const { rows } = await database.client.query<{ live: number }>(
    `select live_generation as live from civic.projections where name = 'record_history'`,
  );
  for (const statement of fillTable(recordHistoryTables(rows[0]!.live).history).split(';')) await database.client.query(statement);
  const child = start(process.execPath, [PROGRAM], { ...process.env, DSN: database.url });
  child.stderr!.pipe(process.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the yardstick ended')));
    child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return {
    url,
    pid: child.pid!,
    [Symbol.asyncDispose]: async () => {
      await stop(child);
      await database[Symbol.asyncDispose]();
    },
  };
};
