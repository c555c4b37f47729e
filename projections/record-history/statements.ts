import { insertRows, replacing, rowSet } from '../row-set.ts';
import type { ColumnArrays, Statement } from '../../domain/ports/database.ts';
import type { FeedState, HistoryRow } from './history-rows.ts';
import { NOT_SUPERSEDED, recordHistoryTables } from './tables.ts';

/** State, pruned position and totals in one read; the first row is the state. */
export function readFoldState(generation: number): Statement {
  const { state, totals } = recordHistoryTables(generation);
  return {
    name: `read_fold_state_g${generation}`,
    text: `select s.head::text, s.changed_at::text, s.chain, r.pruned_through::text, s.outline, encode(s.fingerprint, 'hex') from ${state} s, civic.feed_retention r
      union all select resource, records::text, digest, null, null, null from ${totals}`,
    values: [],
  };
}

/**
 * Ends the currency of earlier rows and returns the resource and digest of each. Without a name, so that it is planned for the table as it
 * is: a plan kept from when the table was empty would walk all current rows for every batch.
 */
export function supersedeRows(generation: number, columns: ColumnArrays, rows: readonly HistoryRow[]): Statement {
  const { names, unnest, values } = rowSet(columns, rows, {
    resource: ['text', ({ resource }) => resource],
    record_id: ['uuid', ({ recordId }) => recordId],
    position: ['bigint', ({ position }) => position],
  });
  return {
    text: `update ${recordHistoryTables(generation).history} h set superseded_at = n.position from ${unnest} as n(${names.join(', ')})
      where h.resource = n.resource and h.record_id = n.record_id and h.superseded_at = ${NOT_SUPERSEDED}
      returning h.resource, encode(h.digest, 'hex')`,
    values,
  };
}

export const insertHistory = (generation: number, columns: ColumnArrays, rows: readonly HistoryRow[]): Statement => ({
  name: `insert_rows_g${generation}`,
  ...insertRows(
    recordHistoryTables(generation).history,
    rowSet(columns, rows, {
      position: ['bigint', ({ position }) => position],
      resource: ['text', ({ resource }) => resource],
      record_id: ['uuid', ({ recordId }) => recordId],
      version: ['bigint', ({ version }) => version],
      removed: ['boolean', ({ removed }) => removed],
      changed_at: ['bigint', ({ changedAt }) => changedAt],
      superseded_at: ['bigint', ({ supersededAt }) => supersededAt ?? BigInt(NOT_SUPERSEDED)],
      digest: ['bytea', ({ digest }) => (digest === null ? null : Buffer.from(digest, 'hex'))],
      envelope: ['text', ({ envelope }) => envelope],
      body: ['text', ({ body }) => body],
      fingerprint: ['bytea', ({ fingerprint }) => Buffer.from(fingerprint, 'hex')],
    }),
  ),
});

/** Deletes the rows that were already pruned from the live generation, during a rebuild. The row at the pruned position stays: it proves the history before it. */
export const dropPruned = (generation: number, prunedThrough: number): Statement => ({
  name: `drop_below_mark_g${generation}`,
  text: `delete from ${recordHistoryTables(generation).history} where superseded_at <= $1 and position <> $1`,
  values: [prunedThrough],
});

export const writeState = (generation: number, { head, changedAt, chain, outline, fingerprint }: FeedState): Statement => ({
  name: `write_state_g${generation}`,
  text: `update ${recordHistoryTables(generation).state} set head = $1, changed_at = $2, chain = $3, outline = $4, fingerprint = decode($5, 'hex')`,
  values: [head, changedAt, chain, outline, fingerprint],
});

export const writeTotals = (
  generation: number,
  columns: ColumnArrays,
  totals: readonly { readonly resource: string; readonly records: number; readonly digest: string }[],
): Statement => {
  const rows = rowSet(columns, totals, {
    resource: ['text', ({ resource }) => resource],
    records: ['bigint', ({ records }) => records],
    digest: ['text', ({ digest }) => digest],
  });
  return { name: `write_totals_g${generation}`, ...insertRows(recordHistoryTables(generation).totals, rows, replacing(rows.names)) };
};

export const writeFeedIdentity = (generation: number, feedId: string): Statement => ({
  text: `update ${recordHistoryTables(generation).state} set feed_id = $1`,
  values: [feedId],
});
