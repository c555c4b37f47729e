import type { FillLock } from '../../domain/ports/stores.ts';
import { withClient } from './schema-state.ts';

/** The key of the advisory lock; no other lock of this program uses it. */
const FILL_LOCK = '4848250413820919';

/** The lock is held on a session of its own and ends with it, also when the process dies. */
export const createFillLock = (dsn: string): FillLock => ({
  async tryRun(work) {
    const ended = await withClient({ dsn, purpose: 'fill' }, async (client) => {
      const { rowCount } = await client.query(`select where pg_try_advisory_lock(${FILL_LOCK})`);
      // Settled: an error of the work is not one of this connection.
      return rowCount === 1 ? await Promise.allSettled([work()]) : null;
    });
    if (ended === null) return null;
    const [outcome] = ended;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  },
});
