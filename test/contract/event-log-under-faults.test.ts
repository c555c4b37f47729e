import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { randomFrom } from '../support/civic-records.ts';
import { testSeed } from '../support/test-seed.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { recovering } from '../support/event-log-recovering.ts';
import { eventLogContract } from './event-log.suite.ts';

/** The same suite, unchanged, on every adapter with faults. */
const seed = testSeed();

const random = randomFrom(seed);

eventLogContract(`PostgreSQL with appends that go wrong and are mended (TEST_SEED=${seed})`, async () => {
  const database = await startTestDatabase();
  return {
    connect: () => recovering(openEventLog({ dsn: database.url, statementTimeoutMs: 20_000 }), random),
    stop: async () => await database.close(),
  };
});
