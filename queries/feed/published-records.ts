import { sql } from 'slonik';
import { z } from 'zod';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { ChangedRecords, LastChange, LiveReads, PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordData, Resource } from '../../domain/records/resources.ts';
import { recordOfStream, recordStream } from '../../domain/streams.ts';
import { isCurrentInOrder, NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { RECORD_REFERENCES } from '../../projections/record-references/tables.ts';
import { liveRows, liveTokens } from '../live-tables.ts';

const STREAMS_AT_ONCE = 1000;
const referringRecord = z.object({ id: z.string() });

/**
 * Reads of published records for connectors. References come from their read model, which may lag the log; a record's `data` is
 * the last event of its own stream and never stale.
 */
export function publishedRecords(reads: LiveReads, log: Pick<EventLog, 'readLast'>): PublishedRecords & ChangedRecords {
  const lastChanges = async <R extends Resource>(resource: R, ids: readonly string[]): Promise<ReadonlyMap<string, LastChange<R>>> => {
    const changes = new Map<string, LastChange<R>>();
    for (let start = 0; start < ids.length; start += STREAMS_AT_ONCE) {
      const last = await log.readLast(ids.slice(start, start + STREAMS_AT_ONCE).map((id) => recordStream(resource, id)));
      for (const [stream, { type, position, data }] of last) {
        const published = type === RECORD_PUBLISHED ? (JSON.parse(data) as RecordData<R>) : null;
        changes.set(recordOfStream(stream).recordId, { position, data: published });
      }
    }
    return changes;
  };
  return {
    lastChanges,
    referring: async (resource, field, targets) => {
      if (targets.length === 0) return [];
      const rows = await reads.many((live) => {
        const { references, isLive } = liveTokens(RECORD_REFERENCES, live);
        return sql.type(referringRecord)`
        select record_id as id from ${references}
        where target_id = any(${sql.array([...targets], 'uuid')}) and resource = ${resource} and field = ${field} and ${isLive}`;
      });
      return rows.map(({ id }) => id);
    },
    current: async <R extends Resource>(resource: R, ids: readonly string[]) => {
      const current = new Map<string, RecordData<R>>();
      for (const [id, { data }] of await lastChanges(resource, ids)) if (data !== null) current.set(id, data);
      return current;
    },
  };
}

const IDS_A_PAGE = 500;

/** Pages of ids of current records, in the order of their last change. A record that changes meanwhile may be repeated. */
export async function* currentIds(reads: LiveReads, resource: Resource): AsyncGenerator<readonly string[]> {
  for (let after = '0'; ; ) {
    const rows = await liveRows(reads, RECORD_HISTORY, {
      name: 'current_ids',
      text: ({ history, isLive }) => `select h.position::text, h.record_id::text from ${history} h
        where (h.resource, h.position) > ($1, $2::bigint) and (h.resource, h.position) <= ($1, ${NOT_SUPERSEDED})
          and ${isCurrentInOrder('h')} and ${isLive}
        order by h.resource, h.position limit ${IDS_A_PAGE}`,
      values: [resource, after],
    });
    if (rows.length > 0) yield rows.map(([, id]) => id!);
    if (rows.length < IDS_A_PAGE) return;
    after = rows.at(-1)![0]!;
  }
}
