import { Client } from 'pg';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';
import { openEventLog } from '../../infra/postgresql/log/event-log.ts';
import { createLogger } from '../../infra/system/logging.ts';
import type { Position } from '../../domain/ports/event-log.ts';
import { STALL_MS, untilAtEnd } from './until-reached.ts';

/** Waits until every reactor of a running service has reached the end of the log; then it appends nothing by itself. */
export async function reactorsAtRest(dataDir: string): Promise<void> {
  const attached = await attachEmbedded({
    dataDir,
    role: 'command',
    startTimeoutMs: STALL_MS,
    logger: createLogger('silent', 'json'),
  });
  const client = new Client({ connectionString: attached.url });
  const log = openEventLog({ dsn: attached.url, statementTimeoutMs: STALL_MS });
  try {
    await client.connect();
    await untilAtEnd('the slowest reactor', log, async () => {
      const { rows } = await client.query<{ checkpoint: Position | null }>(
        'select min(checkpoint) as checkpoint from civic.processors where due_at is null',
      );
      return rows[0]!.checkpoint ?? undefined;
    });
  } finally {
    await client.end();
    await log.close();
    await attached.leave();
  }
}
