import type { ReadDatabase } from '../../domain/ports/database.ts';
import type { Traffic } from '../../domain/ports/traffic.ts';

const COMMITTED = 'select xact_commit::text from pg_stat_database where datname = current_database()';

/** The server's own counters, over all its clients: readers, writers and projectors of every process. */
export const createTraffic = (database: ReadDatabase): Traffic => ({
  async transactions() {
    const [row] = await database.texts({ name: 'count_transactions', text: COMMITTED, values: [] });
    return Number(row?.[0] ?? 0);
  },
});
