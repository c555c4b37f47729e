import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import { RECORD_HISTORY, recordHistoryTables } from '../../projections/record-history/tables.ts';

/** The end of the feed; `feedId` is null until it has been opened, `fingerprint` where the live build is of a version that has none. */
export interface HighWaterMark {
  readonly feedId: string | null;
  readonly position: number;
  readonly fingerprint: string | null;
}

/** The highest feed position that is complete, and whose feed it is: null until the feed has been opened. Throws what the database throws. */
export async function readHighWaterMark(reads: LiveReads): Promise<HighWaterMark> {
  const [row] = await reads.texts((live) => {
    const generation = live(RECORD_HISTORY);
    const { state } = recordHistoryTables(generation);
    return {
      name: `high_water_mark_g${generation}`,
      text: `select feed_id::text, head::text, encode(fingerprint, 'hex') from ${state} where ${requireLive(RECORD_HISTORY, generation)}`,
      values: [],
    };
  });
  return { feedId: row?.[0] ?? null, position: Number(row?.[1] ?? 0), fingerprint: row?.[2] ?? null };
}
