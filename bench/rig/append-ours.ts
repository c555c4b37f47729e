import { randomUUID } from 'node:crypto';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import type { NewEvent } from '../../domain/ports/event-log.ts';
import { type AppendJob, appendFor, eventData } from './append-jobs.ts';
import { serveJobs } from './processes.ts';

/** Ids come from where the yardsticks take theirs: making them is the callers' work, not the log's. */
const newEvent = (caller: number, nth: number): NewEvent => ({
  id: randomUUID(),
  type: 'BenchHappened',
  schemaVersion: 1,
  data: eventData(caller, nth),
  metadata: { commandId: randomUUID() },
  time: Date.now(),
});

/** The program's own log: single events through `append`, batches of streams through `appendEach` as an import does. */
serveJobs(async (job: AppendJob) => {
  const log = openEventLog({ dsn: job.dsn, statementTimeoutMs: 60_000 });
  try {
    return await appendFor(job, async (caller, nth) => {
      const stream = (each: number) => `bench-${job.turn}_${caller}_${each}`;
      const outcomes =
        job.batch === 1
          ? [await log.append({ stream: stream(0), expectedRevision: nth - 1, events: [newEvent(caller, nth)] })]
          : await log.appendEach(
              Array.from({ length: job.batch }, (_, each) => ({
                stream: stream(nth * job.batch + each),
                expectedRevision: -1,
                events: [newEvent(caller, each)],
              })),
            );
      if (outcomes.some(({ kind }) => kind !== 'appended')) throw new Error('an append met a conflict that cannot be');
    });
  } finally {
    await log.close();
  }
});
