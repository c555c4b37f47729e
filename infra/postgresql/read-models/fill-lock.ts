import type { FillLock } from '../../../domain/ports/stores.ts';
import { withClient } from '../connection/schema-state.ts';

/** Key of the advisory lock. No other lock of this program uses it. */
const FILL_LOCK = '4848250413820919';

/** Disables the idle timeout, because the session is idle while the work runs. */
const NO_IDLE_TIMEOUT = `select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'`;
const LOST = 'the connection with the lock of the log was lost: run the same command again';

/**
 * Locks on a dedicated session. The lock ends with the session, even if the process dies. Throws if the session ends
 * before the work does.
 */
export const createFillLock = (dsn: string): FillLock => ({
  async tryRun(work) {
    const ended = await withClient({ dsn, purpose: 'fill' }, async (client) => {
      await client.query(NO_IDLE_TIMEOUT);
      const { rowCount } = await client.query(`select where pg_try_advisory_lock(${FILL_LOCK})`);
      if (rowCount !== 1) return null;
      const connectionLost = new Promise<never>((_, reject) => client.once('end', () => reject(new Error(LOST))));
      // `allSettled`, because an error of the work must not be mapped like an error of this connection.
      return await Promise.allSettled([Promise.race([work(), connectionLost])]);
    });
    if (ended === null) return null;
    const [outcome] = ended;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  },
});
