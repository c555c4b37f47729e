import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { type AppendJob, appendFor } from '../rig/append-jobs.ts';
import { serveJobs } from '../rig/processes.ts';
import { agendaItemContent } from '../rig/records.ts';

/** The client of the log alone: one new stream with one event an append, which the server must find to be new. `dsn` is the address. */
serveJobs(async (job: AppendJob) => {
  const client = EventStoreDBClient.connectionString(job.dsn);
  try {
    return await appendFor(job, async (caller, nth) => {
      const event = jsonEvent({ type: 'BenchHappened', data: agendaItemContent(nth) });
      await client.appendToStream(`bench-${job.turn}_${caller}_${nth}`, event, { expectedRevision: NO_STREAM });
    });
  } finally {
    await client.dispose();
  }
});
