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
export const supersedeRows = (generation: number, columns: ColumnArrays, rows: readonly HistoryRow[]): Statement => ({
  text: `update ${recordHistoryTables(generation).history} h set superseded_at = n.position
    from unnest($1::text[], $2::uuid[], $3::bigint[]) as n(resource, record_id, position)
    where h.resource = n.resource and h.record_id = n.record_id and h.superseded_at = ${NOT_SUPERSEDED}
    returning h.resource, encode(h.digest, 'hex')`,
  values: [
    columns.texts(rows.map(({ resource }) => resource)),
    columns.uuids(rows.map(({ recordId }) => recordId)),
    columns.bigints(rows.map(({ position }) => position)),
  ],
});

export const insertRows = (generation: number, columns: ColumnArrays, rows: readonly HistoryRow[]): Statement => ({
  name: `insert_rows_g${generation}`,
  text: `insert into ${recordHistoryTables(generation).history}
    (position, resource, record_id, version, removed, changed_at, superseded_at, digest, envelope, body, fingerprint)
    select * from unnest($1::bigint[], $2::text[], $3::uuid[], $4::bigint[], $5::boolean[], $6::bigint[], $7::bigint[], $8::bytea[], $9::text[], $10::text[], $11::bytea[])`,
  values: [
    columns.bigints(rows.map(({ position }) => position)),
    columns.texts(rows.map(({ resource }) => resource)),
    columns.uuids(rows.map(({ recordId }) => recordId)),
    columns.bigints(rows.map(({ version }) => version)),
    columns.booleans(rows.map(({ removed }) => removed)),
    columns.bigints(rows.map(({ changedAt }) => changedAt)),
    columns.bigints(rows.map(({ supersededAt }) => supersededAt ?? BigInt(NOT_SUPERSEDED))),
    columns.bytes(rows.map(({ digest }) => (digest === null ? null : Buffer.from(digest, 'hex')))),
    columns.texts(rows.map(({ envelope }) => envelope)),
    columns.texts(rows.map(({ body }) => body)),
    columns.bytes(rows.map(({ fingerprint }) => Buffer.from(fingerprint, 'hex'))),
  ],
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
): Statement => ({
  name: `write_totals_g${generation}`,
  text: `insert into ${recordHistoryTables(generation).totals} (resource, records, digest)
    select * from unnest($1::text[], $2::bigint[], $3::text[])
    on conflict (resource) do update set records = excluded.records, digest = excluded.digest`,
  values: [
    columns.texts(totals.map(({ resource }) => resource)),
    columns.bigints(totals.map(({ records }) => records)),
    columns.texts(totals.map(({ digest }) => digest)),
  ],
});

export const writeFeedIdentity = (generation: number, feedId: string): Statement => ({
  text: `update ${recordHistoryTables(generation).state} set feed_id = $1`,
  values: [feedId],
});
