import { type LiveReads, requireLive } from '../src/domain/ports/projection.ts';
import { RECORD_HISTORY, recordHistoryTables } from '../projections/record-history/tables.ts';

/** The highest feed position that is complete, and whose feed it is: null until the feed has been opened. Throws what the database throws. */
export const readHighWaterMark = async (reads: LiveReads): Promise<{ readonly feedId: string | null; readonly position: number }> => {
  const [row] = await reads.texts((live) => {
    const generation = live(RECORD_HISTORY);
    const { state } = recordHistoryTables(generation);
    return {
      name: `high_water_mark_g${generation}`,
      text: `select feed_id::text, head::text from ${state} where ${requireLive(RECORD_HISTORY, generation)}`,
      values: [],
    };
  });
  return { feedId: row?.[0] ?? null, position: Number(row?.[1] ?? 0) };
};
