import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { type AppendJob, appendFor, eventData } from '../rig/append-jobs.ts';
import { serveJobs } from '../rig/processes.ts';

const CONNECTIONS = 20;

const TABLES = `
  create schema if not exists naive;
  create table if not exists naive.streams (stream text primary key, revision bigint not null);
  create table if not exists naive.events (
    position bigint generated always as identity primary key, stream text not null, revision bigint not null, id uuid not null,
    type text not null, data json not null, metadata json not null, unique (stream, revision)
  )`;

/**
 * The usual first version of an event store: one transaction per event, with the expected revision checked on the
 * stream's row.
 */
serveJobs(async (job: AppendJob) => {
  const pool = new Pool({ connectionString: job.dsn, max: CONNECTIONS });
  await pool.query(TABLES);
  try {
    return await appendFor(job, async (caller, nth) => {
      const stream = `bench-${job.turn}_${caller}`;
      const client = await pool.connect();
      try {
        await client.query('begin');
        const moved = await client.query({
          name: 'move',
          text: `insert into naive.streams (stream, revision) values ($1, 0) on conflict (stream)
            do update set revision = naive.streams.revision + 1 where naive.streams.revision = $2`,
          values: [stream, nth - 1],
        });
        if (moved.rowCount !== 1) throw new Error('an append met a conflict that cannot be');
        await client.query({
          name: 'add',
          text: 'insert into naive.events (stream, revision, id, type, data, metadata) values ($1, $2, $3, $4, $5, $6)',
          values: [
            stream,
            nth,
            randomUUID(),
            'BenchHappened',
            eventData(caller, nth),
            `{"commandId":"${randomUUID()}"}`,
          ],
        });
        await client.query('commit');
      } finally {
        client.release();
      }
    });
  } finally {
    await pool.end();
  }
});
