import { Client, type QueryResultRow } from 'pg';
import { systemClock } from '../../infra/system/clock.ts';
import { attachEmbedded } from '../../infra/embedded-postgresql/attach.ts';
import { createLogger } from '../../infra/system/logging.ts';
import { supervisorOf, postmasterOf } from '../support/embedded-users.ts';

/** The PostgreSQL server of a soak, with fsync, which faults can end. */
export interface SoakDatabase {
  /** The server without a proxy. */
  readonly url: string;
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  signalServer(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void;
  killSupervisor(): void;
  /** Resolves when it accepts connections; rejects after a timeout. */
  answers(withinMs: number): Promise<void>;
  leave(): Promise<void>;
}

const START_MS = 120_000;
/** A busy machine accepts a connection late; a server that is down refuses it at once. */
const CONNECT_MS = 60_000;

export async function openSoakDatabase(dataDir: string): Promise<SoakDatabase> {
  const attached = await attachEmbedded({
    dataDir,
    role: 'command',
    startTimeoutMs: START_MS,
    logger: createLogger('silent', 'json'),
  });
  const { url } = attached;
  const query: SoakDatabase['query'] = async (text, values = []) => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  return {
    url,
    query,
    signalServer: (signal) => void process.kill(postmasterOf(dataDir), signal),
    killSupervisor: () => void process.kill(supervisorOf(dataDir), 'SIGKILL'),
    async answers(withinMs) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        try {
          await query('select 1');
          return;
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await systemClock.sleep(50);
        }
      }
    },
    leave: () => attached.leave(),
  };
}
