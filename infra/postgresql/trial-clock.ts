import type { Transactor } from '../../domain/ports/database.ts';

/**
 * The offset of the trial's clock from the machine's in milliseconds; 0 without a trial. A start time that differs from the stored one
 * sets the clock; the same one, or none, lets it continue, so that every process on the database has the same time.
 */
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
