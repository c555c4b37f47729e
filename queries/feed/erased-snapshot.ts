import { ERASED_VERSIONS, NOT_SUPERSEDED, RECORD_HISTORY, recordHistoryTables } from '../../projections/record-history/tables.ts';
import type { Statement } from '../../domain/ports/database.ts';
import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { addDigest, digestSum, digestText, EMPTY_DIGEST, subtractDigest } from '../../domain/state-digest.ts';

/** SQL for the number of the last erasure that changed what a snapshot `s` (with its boundary) shows of a resource; 0 for none. */
export const lastErasure = (history: number, resource: string): string => `(
  select coalesce(max(v.erasure), 0) from ${ERASED_VERSIONS} v join ${recordHistoryTables(history).history} e on e.position = v.position
  where v.generation = ${history} and v.resource = ${resource} and e.position <= s.boundary and e.superseded_at > s.boundary)`;

/**
 * The digest of the records at a boundary: that of the current ones, without those that have come since and with those that have gone. It costs
 * as much as has changed since, and no pass over all records.
 */
function digestAt(history: number, resource: Resource, boundary: number): Statement {
  const tables = recordHistoryTables(history);
  return {
    text: `with s as materialized (select $2::bigint as boundary where ${requireLive(RECORD_HISTORY, history)})
      select 'total', coalesce((select t.digest from ${tables.totals} t where t.resource = $1), $3), ${lastErasure(history, '$1')}::text from s
      union all
      select 'since', encode(h.digest, 'hex'), null from s, ${tables.history} h
        where h.resource = $1 and h.position > s.boundary and h.superseded_at = ${NOT_SUPERSEDED}
      union all
      select 'gone', encode(h.digest, 'hex'), null from s, ${tables.history} h
        where h.resource = $1 and h.position <= s.boundary and h.superseded_at > s.boundary and h.superseded_at < ${NOT_SUPERSEDED}`,
    values: [resource, boundary, EMPTY_DIGEST],
  };
}

const KEPT = 1000;

/** Digests of snapshots that erasures have changed. Each is worked out once: only a further erasure changes it. */
export function createErasedDigests(reads: LiveReads) {
  const known = new Map<string, string>();
  return {
    /** Null where a further erasure has come. */
    async of(
      { snapshotId, resource }: { readonly snapshotId: string; readonly resource: Resource },
      at: { readonly boundary: number; readonly erasure: number },
    ): Promise<string | null> {
      const key = `${snapshotId} ${resource} ${at.erasure}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const rows = await reads.texts((generation) => digestAt(generation(RECORD_HISTORY), resource, at.boundary));
      let sum = 0n;
      let erasure = 0;
      for (const [kind, digest, last] of rows) {
        if (kind === 'total') [sum, erasure] = [digestSum(digest!), Number(last)];
      }
      for (const [kind, digest] of rows) {
        if (kind === 'since') sum = subtractDigest(sum, digest!);
        else if (kind === 'gone') sum = addDigest(sum, digest!);
      }
      const text = digestText(sum);
      if (erasure !== at.erasure) return null;
      if (known.size >= KEPT) known.clear();
      known.set(key, text);
      return text;
    },
  };
}
