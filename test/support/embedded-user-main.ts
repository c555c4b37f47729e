import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';

/**
 * A separate process that uses an embedded database: `node embedded-user-main.ts DATA_DIR ROLE TIMEOUT_MS`. It takes
 * `insert`, `count` and `leave` as lines and answers each with a line of JSON; an insert is answered once it is
 * committed.
 */
const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`);
const [dataDir = '', role = 'command', timeout = '30000'] = process.argv.slice(2);

async function onDatabase<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

try {
  const started = performance.now();
  const database = await attachEmbedded({
    dataDir,
    role: role as 'service' | 'command',
    startTimeoutMs: Number(timeout),
    logger: {
      warn: (_fields, text) => {
        if (/^the embedded PostgreSQL (has ended|runs again)/.test(text)) say({ logged: text });
      },
      error: (fields, text) => say({ logged: `${text} ${JSON.stringify(fields)}` }),
    },
  });
  say({ url: database.url, milliseconds: Math.round(performance.now() - started) });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'leave') {
      await database.leave();
      say({ left: true });
      break;
    }
    try {
      const rows = await onDatabase(database.url, async (client) => {
        await client.query('create table if not exists kept (id bigint generated always as identity)');
        if (line === 'insert') await client.query('insert into kept default values');
        return client.query<{ count: string }>('select count(*) from kept');
      });
      say({ count: Number(rows.rows[0]?.count) });
    } catch (error) {
      say({ failed: String(error) });
    }
  }
} catch (error) {
  say({
    refused: error instanceof Error ? error.message : String(error),
    name: error instanceof Error ? error.name : '',
  });
}
