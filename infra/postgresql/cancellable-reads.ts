import { setTimeout as after } from 'node:timers/promises';
import type { CancellableRead } from '../../domain/ports/database.ts';
import { executeOn, type HeldClient, openClientPool } from './client-pool.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import type { Session } from './sessions.ts';

const CANCEL_AGAIN_MS = 50;
const CANCEL_TIMEOUT_MS = 5_000;

export type CancellableReads = ReturnType<typeof openCancellableReads>;

/** Reads that PostgreSQL ends when their signal aborts. Each has its own connection, so that a cancel cannot reach another statement. */
export function openCancellableReads(session: Session, connections: number) {
  const pool = openClientPool(session, connections);
  const canceller = new PipelinedConnection({ dsn: session.dsn, purpose: 'cancels', statementTimeoutMs: CANCEL_TIMEOUT_MS });
  /** Repeats the cancel: the server ignores one that arrives before the statement begins. */
  const cancelUntil = async (ended: AbortSignal, held: HeldClient): Promise<void> => {
    // The types of `pg` leave out the process number of the server.
    const { processID } = held.client as unknown as { readonly processID: number };
    const cancel = { name: 'cancel', text: 'select pg_cancel_backend($1)', values: [processID] };
    while (!ended.aborted) {
      // A cancel without an answer may still arrive, and must not reach another statement.
      await canceller.run(cancel).catch(() => (held.isBroken = true));
      await after(CANCEL_AGAIN_MS, undefined, { signal: ended }).catch(() => undefined);
    }
  };
  const run: CancellableRead = (statement, signal) =>
    pool.run(async (held) => {
      signal.throwIfAborted();
      const ended = new AbortController();
      let cancelled: Promise<void> | undefined;
      const cancel = (): void => {
        cancelled = cancelUntil(ended.signal, held);
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return (await executeOn(held, statement)).rows;
      } finally {
        signal.removeEventListener('abort', cancel);
        ended.abort();
        await cancelled;
      }
    });
  return {
    run,
    use: () => pool.use(),
    close: async () => void (await Promise.all([pool.close(), canceller.close()])),
  };
}
