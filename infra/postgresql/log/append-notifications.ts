import { Client } from 'pg';
import { clientConfig } from '../connection/sessions.ts';

const CHANNEL = 'civic_log';

/**
 * Listens for the appends of all processes on one connection, opened at the first wait. Waiters poll while it is lost.
 */
export function openAppendNotifications(dsn: string, pollMs: number) {
  const waiters = new Set<() => void>();
  let client: Client | undefined;
  let count = 0;
  let closed = false;
  const wakeAll = (): void => {
    count += 1;
    for (const wake of [...waiters]) wake();
  };
  const listen = async (): Promise<void> => {
    if (client !== undefined || closed) return;
    const fresh = new Client(clientConfig({ dsn, purpose: 'log-news' }));
    client = fresh;
    const drop = (): void => {
      if (client === fresh) client = undefined;
    };
    fresh.on('notification', wakeAll);
    fresh.on('error', drop);
    fresh.on('end', drop);
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
      if (closed) await fresh.end();
      wakeAll();
    } catch {
      drop();
      await fresh.end().catch(() => undefined);
    }
  };
  return {
    /** Number of notifications so far. */
    get count(): number {
      return count;
    },
    /** Resolves when the count differs from `before`, after the poll interval, or when the signal aborts. */
    async wait(before: number, signal: AbortSignal): Promise<void> {
      if (count !== before || signal.aborted) return;
      void listen();
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          waiters.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, pollMs);
        waiters.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
    async close(): Promise<void> {
      closed = true;
      wakeAll();
      await client?.end().catch(() => undefined);
    },
  };
}
