import type { ReadRows, Statement, Transactor } from '../../../domain/ports/database.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { systemClock } from '../../system/clock.ts';

/** SQL expression for the database's time in milliseconds. */
export const DATABASE_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const TIME: Statement = {
  name: 'read_database_time',
  text: `select ${DATABASE_TIME} as now`,
  values: [],
};
const LOOK_EVERY_MS = 5_000;
/** A slower answer is too inaccurate to use. */
const SLOW_MS = 1_000;

/**
 * Opens a clock that follows the database's time, which all processes share. Between reads it advances with the
 * monotonic clock of this machine. Only leases use it. Throws `DatabaseUnavailable` if the first read fails.
 */
export async function openDatabaseClock(database: { readonly rows: ReadRows }) {
  const measure = async (): Promise<{ readonly ahead: number; readonly roundTripMs: number }> => {
    const sentAt = performance.now();
    const [row] = await database.rows<{ now: number }>(TIME);
    const answeredAt = performance.now();
    return { ahead: row!.now - (sentAt + answeredAt) / 2, roundTripMs: answeredAt - sentAt };
  };
  let { ahead } = await measure();
  const closing = new AbortController();
  const looking = (async () => {
    while (!closing.signal.aborted) {
      await systemClock.sleep(LOOK_EVERY_MS, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      const measured = await measure().catch(() => null);
      if (measured !== null && measured.roundTripMs < SLOW_MS) ({ ahead } = measured);
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

/**
 * Returns how far a trial's clock is ahead of the machine, in milliseconds; 0 without a trial. A start time that equals
 * the stored one changes nothing.
 */
export const trialClockOffset = (
  transactor: Transactor,
  start: number | undefined,
  machineNow: number,
): Promise<number> =>
  transactor.transaction(async (transaction) => {
    if (start !== undefined) {
      await transaction.query({
        text: `insert into civic.trial_clock (started_at, offset_ms) values ($1, $2)
          on conflict (singleton) do update set started_at = excluded.started_at, offset_ms = excluded.offset_ms
          where civic.trial_clock.started_at <> excluded.started_at`,
        values: [start, start - machineNow],
      });
    }
    const statement = { text: 'select offset_ms as offset from civic.trial_clock', values: [] };
    const { rows } = await transaction.query<{ offset: number }>(statement);
    return rows[0]?.offset ?? 0;
  });
