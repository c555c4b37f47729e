import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { FoldContext } from '../../domain/ports/projection.ts';
import { insert, rowSet, upsert } from '../rows.ts';
import { type FeedState, type HistoryRow, Totals } from './history-rows.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from './tables.ts';

const { history, totals: totalsTable } = RECORD_HISTORY.tables;

/** State, totals and pruned position, in one read. */
export async function readState({ transaction, generation }: FoldContext) {
  const { state, totals } = RECORD_HISTORY.at(generation);
  const { rows } = await transaction.execute({
    name: `read_fold_state_g${generation}`,
    text: `select s.head::text, s.changed_at::text, s.chain, s.outline, encode(s.fingerprint, 'hex'), r.pruned_through::text
      from ${state} s, civic.feed_retention r
      union all select resource, records::text, digest, null, null, null from ${totals}`,
    values: [],
  });
  const [[head, changedAt, chain, outline, fingerprint, prunedThrough], ...known] = rows as [(typeof rows)[0], ...typeof rows];
  const before = { head: Number(head), changedAt: Number(changedAt), chain: chain!, outline: outline!, fingerprint: fingerprint! };
  return { before, totals: new Totals(known), prunedThrough: Number(prunedThrough) };
}

export async function writeState(context: FoldContext, state: FeedState, totals: Totals): Promise<void> {
  const { head, changedAt, chain, outline, fingerprint } = state;
  await context.transaction.execute({
    name: `write_state_g${context.generation}`,
    text: `update ${RECORD_HISTORY.at(context.generation).state}
      set head = $1, changed_at = $2, chain = $3, outline = $4, fingerprint = decode($5, 'hex')`,
    values: [head, changedAt, chain, outline, fingerprint],
  });
  await upsert(context, totalsTable, totals.touched());
}

/**
 * Ends the currency of earlier rows and returns the resource and digest of each. Without a name, so that it is planned for the table as it
 * is: a plan kept from when the table was empty would walk all current rows for every batch.
 */
export function supersedeRows(generation: number, columns: ColumnArrays, rows: readonly HistoryRow[]): Statement {
  const ending = rows.map(({ resource, record_id, position }) => ({ resource, record_id, position }));
  const { unnest, values } = rowSet(columns, history, ending);
  return {
    text: `update ${history.at(generation)} h set superseded_at = r.position from ${unnest}
      where h.resource = r.resource and h.record_id = r.record_id and h.superseded_at = ${NOT_SUPERSEDED}
      returning h.resource, encode(h.digest, 'hex')`,
    values,
  };
}

export async function insertHistory(context: FoldContext, rows: readonly HistoryRow[]): Promise<void> {
  const written = rows.map((row) => ({
    ...row,
    superseded_at: row.superseded_at ?? BigInt(NOT_SUPERSEDED),
    digest: row.digest === null ? null : Buffer.from(row.digest, 'hex'),
    fingerprint: Buffer.from(row.fingerprint, 'hex'),
  }));
  await insert(context, history, written);
}
