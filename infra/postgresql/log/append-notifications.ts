import { Client } from 'pg';
import { AppendNews } from '../../system/append-news.ts';
import { clientConfig } from '../connection/sessions.ts';

const CHANNEL = 'civic_log';

/**
 * Listens for the appends of all processes on one connection, opened at the first wait. Followers poll while it is lost.
 */
export function openAppendNotifications(dsn: string, pollMs: number) {
  let client: Client | undefined;
  let closed = false;
  const listen = async (): Promise<void> => {
    if (client !== undefined || closed) return;
    const fresh = new Client(clientConfig({ dsn, purpose: 'log-news' }));
    client = fresh;
    const drop = (): void => {
      if (client === fresh) client = undefined;
    };
    fresh.on('notification', () => news.wake());
    fresh.on('error', drop);
    fresh.on('end', drop);
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
      if (closed) await fresh.end();
      news.wake();
    } catch {
      drop();
      await fresh.end().catch(() => undefined);
    }
  };
  const news = new AppendNews(pollMs, { onWait: () => void listen() });
  return {
    news,
    async close(): Promise<void> {
      closed = true;
      news.wake();
      await client?.end().catch(() => undefined);
    },
  };
}
