import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type AppendJob, appendFor, eventData } from '../rig/append-jobs.ts';
import { serveJobs } from '../rig/processes.ts';

const TABLE = `
  create schema if not exists copied;
  create table if not exists copied.events (like civic.events including indexes)`;

let position = Date.now() * 1000;

function rows(job: AppendJob, caller: number, nth: number): string {
  let text = '';
  for (let each = 0; each < job.batch; each++) {
    const stream = `bench-${job.turn}_${caller}_${nth * job.batch + each}`;
    const data = eventData(caller, each).replaceAll('\\', '\\\\');
    text += `${++position}\t${stream}\t0\t${randomUUID()}\tBenchHappened\t1\t${data}\t{"commandId":"${randomUUID()}"}\t${Date.now()}\n`;
  }
  return text;
}

/** The limit of a batch: COPY into a table with the log's columns and indexes, a transaction a batch, without any check. */
serveJobs(async (job: AppendJob) => {
  const clients = await Promise.all(
    Array.from({ length: job.callers }, async () => {
      const client = new Client({ connectionString: job.dsn });
      await client.connect();
      return client;
    }),
  );
  await clients[0]!.query(TABLE);
  try {
    return await appendFor(job, async (caller, nth) => {
      const stream = clients[caller]!.query(copyFrom('copy copied.events from stdin'));
      if (!stream.write(rows(job, caller, nth))) await once(stream, 'drain');
      stream.end();
      await finished(stream);
    });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
});
