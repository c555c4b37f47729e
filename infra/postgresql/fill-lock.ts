import type { FillLock } from '../../domain/ports/stores.ts';
import { withClient } from './schema-state.ts';

/** The key of the advisory lock; no other lock of this program uses it. */
const FILL_LOCK = '4848250413820919';

/** The session is idle while the work runs. */
const STAY = `select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'`;
const LOST = 'the connection that held the lock of the log was lost: run the same command again';

/** The lock is held on a session of its own and ends with it, also when the process dies. Throws where the session ends before the work. */
export const createFillLock = (dsn: string): FillLock => ({
  async tryRun(work) {
    const ended = await withClient({ dsn, purpose: 'fill' }, async (client) => {
      await client.query(STAY);
      const { rowCount } = await client.query(`select where pg_try_advisory_lock(${FILL_LOCK})`);
      if (rowCount !== 1) return null;
      const lost = new Promise<never>((_, reject) => client.once('end', () => reject(new Error(LOST))));
      // Settled: an error of the work is not one of this connection.
      return await Promise.allSettled([Promise.race([work(), lost])]);
    });
    if (ended === null) return null;
    const [outcome] = ended;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  },
});
