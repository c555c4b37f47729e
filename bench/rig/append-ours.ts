import { openEventLog } from '../../infra/postgresql/event-log.ts';
import { eventId, randomIdentifiers } from '../../src/domain/identifiers.ts';
import type { NewEvent } from '../../src/domain/ports/event-log.ts';
import { type AppendJob, appendFor, eventData } from './append-jobs.ts';
import { serveJobs } from './processes.ts';

const newEvent = (caller: number, nth: number): NewEvent => {
  const commandId = randomIdentifiers.next();
  const data = eventData(caller, nth);
  return { id: eventId(commandId, 0), type: 'BenchHappened', schemaVersion: 1, data, metadata: { commandId }, time: Date.now() };
};

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
