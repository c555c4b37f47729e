import { pruneRecordHistory } from '../../projections/record-history/prune.ts';
import { RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { SNAPSHOTS } from '../../projections/snapshots/tables.ts';
import type { Transactor } from '../domain/ports/database.ts';
import type { GenerationStore } from '../domain/ports/generations.ts';

/** Removes from the live record history what neither replay nor a live snapshot needs; resolves to the number of rows. Milliseconds. */
export const pruneLive = async (
  generations: Pick<GenerationStore, 'list'>,
  transactor: Transactor,
  times: { readonly now: number; readonly retentionMs: number },
): Promise<number> => {
  const rows = (await generations.list()).filter(({ state }) => state === 'live');
  const live = (name: string) => rows.find(({ projection }) => projection === name)?.generation;
  const [history, snapshots] = [live(RECORD_HISTORY), live(SNAPSHOTS)];
  if (history === undefined || snapshots === undefined) return 0;
  return pruneRecordHistory(transactor, { history, snapshots, ...times });
};
