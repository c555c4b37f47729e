import { Client } from 'pg';
import { expect, test } from 'vitest';
import { openEventLog } from '../../infra/postgresql/event-log.ts';
import { migrate } from '../../infra/postgresql/schema-state.ts';
import { NO_STREAM } from '../../domain/ports/event-log.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { freshStream, newEvents } from '../support/event-log-builders.ts';

const LANES = 2;
const APPENDS = 12;

/** Each refusal left one more connection open, until the server accepted no connection. */
test('appends to a database that became read-only, as after a failover, leave no connection open', async () => {
  const server = await startTestDatabase();
  const admin = new Client(server.url);
  const dsn = new URL(server.url);
  dsn.searchParams.set('options', '-c default_transaction_read_only=on');
  const log = openEventLog({ dsn: dsn.toString(), statementTimeoutMs: 20_000, lanes: LANES });
  try {
    await migrate(server.url);
    await admin.connect();
    for (let number = 0; number < APPENDS; number += 1) {
      await expect(log.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(1) })).rejects.toThrow();
    }
    const open = async () =>
      (await admin.query(`select from pg_stat_activity where application_name = 'civic-log-appends' and datname = current_database()`))
        .rowCount;
    await expect.poll(open).toBeLessThanOrEqual(LANES);
  } finally {
    await log.close();
    await admin.end();
    await server.close();
  }
});
