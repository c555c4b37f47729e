import { Client } from 'pg';
import { clientConfig } from './sessions.ts';

const CHANNEL = 'civic_log';

/** One connection that listens for appends of all processes, opened at the first wait. While it is lost, waiters poll. */
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
    /** Grows with every notification. */
    get count(): number {
      return count;
    },
    /** Resolves when the count is no longer `seen`, after the poll interval, or when the signal aborts. */
    async wait(seen: number, signal: AbortSignal): Promise<void> {
      if (count !== seen || signal.aborted) return;
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
