import { Client } from 'pg';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';
import { createLogger } from '../../infra/system/logging.ts';

/** Starts the embedded server of a data directory and opens a plain connection; disposing closes both. */
interface HeldDatabase extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
}

export async function holdDatabase(dataDir: string): Promise<HeldDatabase> {
  const attached = await attachEmbedded({
    dataDir,
    role: 'command',
    startTimeoutMs: 60_000,
    logger: createLogger('silent', 'json'),
  });
  const client = new Client({ connectionString: attached.url });
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: attached.url,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await attached.leave();
    },
  };
}
