import type { ReadDatabase, Statement, Transactor } from '../../domain/ports/database.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { systemClock } from '../system/clock.ts';

/** SQL of the time of the database, in milliseconds. */
export const DATABASE_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const TIME: Statement = {
  name: 'read_database_time',
  text: `select ${DATABASE_TIME}::text`,
  values: [],
};
const LOOK_EVERY_MS = 5_000;
/** An answer that took longer is too inaccurate to use. */
const SLOW_MS = 1_000;

/**
 * The time of the database, which all its processes share, advanced between reads by the monotonic clock of this machine. For leases only.
 * Throws `DatabaseUnavailable` where the first read fails.
 */
export async function openDatabaseClock(database: Pick<ReadDatabase, 'texts'>) {
  const look = async (): Promise<{ readonly ahead: number; readonly took: number }> => {
    const asked = performance.now();
    const [row] = await database.texts(TIME);
    const answered = performance.now();
    return { ahead: Number(row![0]) - (asked + answered) / 2, took: answered - asked };
  };
  let { ahead } = await look();
  const closing = new AbortController();
  const looking = (async () => {
    while (!closing.signal.aborted) {
      await systemClock.sleep(LOOK_EVERY_MS, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      const seen = await look().catch(() => null);
      if (seen !== null && seen.took < SLOW_MS) ({ ahead } = seen);
    }
  })();
  return {
    now: () => Math.round(performance.now() + ahead),
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds, signal),
    async close(): Promise<void> {
      closing.abort();
      await looking;
    },
  } satisfies Clock & { close(): Promise<void> };
}

/** Milliseconds by which a trial is ahead of the machine; 0 without one. Only a start time that differs from the stored one sets it. */
export const trialClockOffset = (transactor: Transactor, start: number | undefined, machineNow: number): Promise<number> =>
  transactor.transaction(async (transaction) => {
    if (start !== undefined) {
      await transaction.execute({
        text: `insert into civic.trial_clock (started_at, offset_ms) values ($1, $2)
          on conflict (singleton) do update set started_at = excluded.started_at, offset_ms = excluded.offset_ms
          where civic.trial_clock.started_at <> excluded.started_at`,
        values: [start, start - machineNow],
      });
    }
    const { rows } = await transaction.execute({ text: 'select offset_ms::text from civic.trial_clock', values: [] });
    return Number(rows[0]?.[0] ?? 0);
  });
