import { migrate } from '../../infra/postgresql/migrate.ts';
import { openEventLog } from '../../infra/postgresql/event-log.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { eventLogContract } from './event-log.suite.ts';

eventLogContract('the embedded PostgreSQL', async () => {
  const database = await startTestDatabase();
  await migrate(database.url);
  return {
    connect: () => openEventLog({ dsn: database.url, statementTimeoutMs: 10_000 }),
    stop: async () => await database.close(),
  };
});
