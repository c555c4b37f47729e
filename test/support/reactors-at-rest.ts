import { setTimeout as after } from 'node:timers/promises';
import { Client } from 'pg';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';
import { openEventLog } from '../../infra/postgresql/event-log.ts';

const PATIENCE_MS = 120_000;

/** Waits until every reactor of a running service has followed the log to its end: from then on nothing is appended that nobody asks for. */
export const reactorsAtRest = async (dataDir: string): Promise<void> => {
  const attached = await attachEmbedded({
    dataDir,
    role: 'command',
    startTimeoutMs: PATIENCE_MS,
    onLost: () => undefined,
    onRestarted: () => undefined,
  });
  const client = new Client({ connectionString: attached.url });
  const log = openEventLog({ dsn: attached.url, statementTimeoutMs: PATIENCE_MS });
  try {
    await client.connect();
    const started = performance.now();
    for (;;) {
      const { rows } = await client.query<{ name: string; checkpoint: string }>('select name, checkpoint from civic.reactors');
      const head = await log.head();
      if (rows.length > 0 && rows.every(({ checkpoint }) => checkpoint === head)) return;
      if (performance.now() - started > PATIENCE_MS) throw new Error(`reactors do not come to rest at ${head}: ${JSON.stringify(rows)}`);
      await after(50);
    }
  } finally {
    await client.end();
    await log.close();
    await attached.leave();
  }
};
