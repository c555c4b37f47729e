import { sql } from '@event-driven-io/dumbo';
import {
  getPostgreSQLEventStore,
  postgreSQLEventStoreConsumer,
  postgreSQLRawBatchSQLProjection,
} from '@event-driven-io/emmett-postgresql';
import { Client } from 'pg';
import { serveJobs } from '../../rig/processes.ts';

const BATCH = 500;

/** Appends one event for each record, one append after the other: its consumer skips events that were appended concurrently. */
async function fill({ dsn, records }) {
  const store = getPostgreSQLEventStore(dsn);
  try {
    for (let from = 0; from < records.length; from += BATCH) {
      const events = records.slice(from, from + BATCH).map((data) => ({ type: 'RecordPublished', data }));
      await store.appendToStream(`records-${from}`, events, { expectedStreamVersion: 'STREAM_DOES_NOT_EXIST' });
    }
  } finally {
    await store.close();
  }
}

/** Folds all events into a new table with one row for each record: the cheapest read model that holds the content. Returns seconds and rows. */
async function build({ dsn, name }) {
  const projection = postgreSQLRawBatchSQLProjection({
    name,
    canHandle: ['RecordPublished'],
    init: () => sql('create table if not exists %I (id text primary key, data jsonb not null)', name),
    evolve: (events) => {
      const rows = JSON.stringify(events.map(({ data }) => ({ id: data.id, data })));
      const insert = 'insert into %I select r.id, r.data from jsonb_to_recordset(%L::jsonb) as r (id text, data jsonb)';
      return [sql(`${insert} on conflict (id) do update set data = excluded.data`, name, rows)];
    },
  });
  const consumer = postgreSQLEventStoreConsumer({
    connectionString: dsn,
    stopWhen: { noMessagesLeft: true },
    pulling: { batchSize: BATCH },
  });
  consumer.projector({ projection });
  const started = performance.now();
  try {
    await consumer.start();
  } finally {
    await consumer.close();
  }
  const seconds = (performance.now() - started) / 1000;
  const client = new Client({ connectionString: dsn });
  await client.connect();
  try {
    const { rows } = await client.query(`select count(*)::int as rows from ${name}`);
    return { seconds, rows: rows[0].rows };
  } finally {
    await client.end();
  }
}

const JOBS = { fill, build };
serveJobs((job) => JOBS[job.kind](job));
