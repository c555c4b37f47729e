import { Client } from 'pg';
import { expect, test } from 'vitest';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { LOG_START, NO_STREAM } from '../../domain/ports/event-log.ts';
import { startTestDatabase } from '../support/embedded-database.ts';
import { freshStream, newEvent, newEvents } from '../support/event-log-builders.ts';
import { untilTrue } from '../support/until-reached.ts';

const EVENTS = 5_000;
const PAGE = 100;
/** More reads than those for which PostgreSQL makes a new plan of a statement. */
const PAGES = 10;

test('a page of a log without statistics reads no event beyond it', async () => {
  const server = await startTestDatabase();
  const client = new Client(server.url);
  await client.connect();
  try {
    await client.query('alter table civic.events set (autovacuum_enabled = false)');
    const writer = openEventLog({ dsn: server.url, statementTimeoutMs: 10_000 });
    await writer.append({ stream: freshStream(), expectedRevision: NO_STREAM, events: newEvents(EVENTS) });
    await writer.close();
    const counts = async (): Promise<{ readonly scans: number; readonly read: number }> => {
      const { rows } = await client.query<{ scans: number; read: number }>(
        `select idx_scan::int as scans, (idx_tup_fetch + seq_tup_read)::int as read from pg_stat_user_tables where relid = 'civic.events'::regclass`,
      );
      return rows[0]!;
    };
    for (const types of [undefined, [newEvent().type, 'Another']]) {
      const before = await counts();
      // Rows that a connection has read are counted when it ends.
      const reader = openEventLog({ dsn: server.url, statementTimeoutMs: 10_000 });
      let after = LOG_START;
      for (let page = 0; page < PAGES; page++) {
        const batch = await reader.readAll({ after, limit: PAGE, ...(types === undefined ? {} : { types }) });
        expect(batch.events).toHaveLength(PAGE);
        after = batch.scannedTo;
      }
      await reader.close();
      await untilTrue('the reads are counted', async () => (await counts()).scans >= before.scans + PAGES);
      expect((await counts()).read - before.read).toBeLessThan(PAGES * PAGE * 1.2);
    }
  } finally {
    await client.end();
    await server.close();
  }
});
