import { type LiveReads, requireLive } from '../../domain/ports/projection.ts';
import type { Resource } from '../../domain/records/resources.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY, recordHistoryTables } from '../../projections/record-history/tables.ts';

const IDS_A_PAGE = 500;

/** Ids of the current records of a resource in pages, in the order of their last change. A record that changes meanwhile may be repeated. */
export async function* currentIds(reads: LiveReads, resource: Resource): AsyncGenerator<readonly string[]> {
  for (let after = '0'; ; ) {
    const rows = await reads.texts((live) => {
      const generation = live(RECORD_HISTORY);
      return {
        name: `current_ids_g${generation}`,
        text: `select h.position::text, h.record_id::text from ${recordHistoryTables(generation).history} h
          where (h.resource, h.position) > ($1, $2::bigint) and (h.resource, h.position) <= ($1, ${NOT_SUPERSEDED})
            and h.superseded_at = ${NOT_SUPERSEDED} and ${requireLive(RECORD_HISTORY, generation)}
          order by h.resource, h.position limit ${IDS_A_PAGE}`,
        values: [resource, after],
      };
    });
    if (rows.length > 0) yield rows.map(([, id]) => id!);
    if (rows.length < IDS_A_PAGE) return;
    after = rows.at(-1)![0]!;
  }
}
