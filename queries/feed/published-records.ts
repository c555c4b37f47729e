import { sql } from 'slonik';
import { z } from 'zod';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { ChangedRecords, LastChange, LiveReads, PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordData, Resource } from '../../domain/records/resources.ts';
import { recordOfStream, recordStream } from '../../domain/streams.ts';
import { chunksOf } from '../../plumbing/chunks.ts';
import { AGENDA } from '../../projections/agenda/tables.ts';
import { isCurrentInOrder, NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { RECORD_REFERENCES } from '../../projections/record-references/tables.ts';
import { liveStatement, liveTokens } from '../live-tables.ts';

const STREAMS_AT_ONCE = 1000;
const referringRecord = z.object({ id: z.string() });

/**
 * Reads published records for connectors. References come from their read model, which might lag. The `data` of a
 * record comes from the last event of its stream and is never stale.
 */
export function publishedRecords(reads: LiveReads, log: Pick<EventLog, 'readLast'>): PublishedRecords & ChangedRecords {
  const lastChanges = async <R extends Resource>(
    resource: R,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, LastChange<R>>> => {
    const changes = new Map<string, LastChange<R>>();
    for (const chunk of chunksOf(ids, STREAMS_AT_ONCE)) {
      const last = await log.readLast(chunk.map((id) => recordStream(resource, id)));
      for (const [stream, { type, position, data }] of last) {
        const content = type === RECORD_PUBLISHED ? (JSON.parse(data) as RecordData<R>) : null;
        changes.set(recordOfStream(stream).recordId, { position, data: content });
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
        where target_id = any(${sql.array([...targets], 'uuid')}) and resource = ${resource} and field = ${field}
          and ${isLive}`;
      });
      return rows.map(({ id }) => id);
    },
    current: async <R extends Resource>(resource: R, ids: readonly string[]) => {
      const current = new Map<string, RecordData<R>>();
      for (const [id, { data }] of await lastChanges(resource, ids)) if (data !== null) current.set(id, data);
      return current;
    },
    bodySlugs: async (jurisdictionId) => {
      const rows = await reads.rows<{ id: string; slugs: string }>(
        liveStatement(AGENDA, {
          name: 'body_slugs',
          text: ({ bodies, isLive }) =>
            `select b.body_id as id, coalesce(to_jsonb(b) ->> 'slugs', b.slug) as slugs
          from ${bodies} b where b.jurisdiction_id = $1::uuid and ${isLive}`,
          values: [jurisdictionId],
        }),
      );
      return new Map(rows.map(({ id, slugs }) => [id, slugs.split(' ')]));
    },
  };
}

const IDS_A_PAGE = 500;

/** Yields pages of ids of current records by last change. A record that changes between two pages might be repeated. */
export async function* currentIds(reads: LiveReads, resource: Resource): AsyncGenerator<readonly string[]> {
  for (let after = 0; ; ) {
    const rows = await reads.rows<{ position: number; id: string }>(
      liveStatement(RECORD_HISTORY, {
        name: 'current_ids',
        text: ({ history, isLive }) => `select h.position, h.record_id as id from ${history} h
        where (h.resource, h.position) > ($1, $2::bigint) and (h.resource, h.position) <= ($1, ${NOT_SUPERSEDED})
          and ${isCurrentInOrder('h')} and ${isLive}
        order by h.resource, h.position limit ${IDS_A_PAGE}`,
        values: [resource, after],
      }),
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < IDS_A_PAGE) return;
    after = rows.at(-1)!.position;
  }
}
