import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

/** The limit of an import: the file's lines, as they are, into a table of one column without an index. Milliseconds until committed. */
export async function copyLines(client: Client, file: string): Promise<number> {
  await client.query('drop table if exists plain_lines');
  await client.query('create table plain_lines (line json not null)');
  const started = performance.now();
  // Control characters as quote and delimiter: no line of JSON holds them, so that every line is one value.
  const text = String.raw`copy plain_lines (line) from stdin with (format csv, quote e'\x01', delimiter e'\x02')`;
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), client.query(copyFrom(text)));
  return performance.now() - started;
}

/** The same with three columns and a primary key, from a file in COPY's own text format. Milliseconds until committed. */
export async function copyKeyedRows(client: Client, file: string): Promise<number> {
  await client.query('drop table if exists plain_rows');
  await client.query('create table plain_rows (resource text not null, id uuid not null, data json not null, primary key (resource, id))');
  const started = performance.now();
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), client.query(copyFrom('copy plain_rows from stdin')));
  return performance.now() - started;
}
