import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { appendFor, eventData } from '../../rig/append-jobs.ts';
import { serveJobs } from '../../rig/processes.ts';

/** `appendToStream` with an expected version; its import changes pg's global parsers, so it has a process of its own. */
serveJobs(async (job) => {
  const store = getPostgreSQLEventStore(job.dsn);
  try {
    return await appendFor(job, async (caller, nth) => {
      const data = JSON.parse(eventData(caller, nth));
      const expectedStreamVersion = nth === 0 ? 'STREAM_DOES_NOT_EXIST' : BigInt(nth);
      await store.appendToStream(`bench-${job.turn}_${caller}`, [{ type: 'BenchHappened', data }], {
        expectedStreamVersion,
      });
    });
  } finally {
    await store.close();
  }
});
