import { sql } from 'slonik';
import { z } from 'zod';
import type { JsonPage, RecordsInput } from '../../contract/inputs.ts';
import { RECORD_PUBLISHED } from '../../domain/events/record-events.ts';
import type { ColumnArrays } from '../../domain/ports/database.ts';
import type { EventLog } from '../../domain/ports/event-log.ts';
import type { LiveReads, PublishedRecords } from '../../domain/ports/projection.ts';
import type { RecordData, Resource } from '../../domain/records/resources.ts';
import { Rejection } from '../../domain/rejections.ts';
import { recordOfStream, recordStream } from '../../domain/streams.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';
import { RECORD_REFERENCES } from '../../projections/record-references/tables.ts';
import { isoTime } from '../fields.ts';
import { liveRows, liveTokens } from '../live-tables.ts';

const STREAMS_AT_ONCE = 1000;
const referringRecord = z.object({ id: z.string() });

/**
 * Reads of published records for connectors. References come from their read model, which may lag the log; a record's `data` is
 * the last event of its own stream and never stale.
 */
export const publishedRecords = (reads: LiveReads, log: Pick<EventLog, 'readLast'>): PublishedRecords => ({
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
    for (let start = 0; start < ids.length; start += STREAMS_AT_ONCE) {
      const last = await log.readLast(ids.slice(start, start + STREAMS_AT_ONCE).map((id) => recordStream(resource, id)));
      for (const [stream, event] of last) {
        if (event.type === RECORD_PUBLISHED) current.set(recordOfStream(stream).recordId, JSON.parse(event.data) as RecordData<R>);
      }
    }
    return current;
  },
});

const IDS_A_PAGE = 500;

/** Pages of ids of current records, in the order of their last change. A record that changes meanwhile may be repeated. */
export async function* currentIds(reads: LiveReads, resource: Resource): AsyncGenerator<readonly string[]> {
  for (let after = '0'; ; ) {
    const rows = await liveRows(reads, RECORD_HISTORY, {
      name: 'current_ids',
      text: ({ history, isLive }) => `select h.position::text, h.record_id::text from ${history} h
        where (h.resource, h.position) > ($1, $2::bigint) and (h.resource, h.position) <= ($1, ${NOT_SUPERSEDED})
          and h.superseded_at = ${NOT_SUPERSEDED} and ${isLive}
        order by h.resource, h.position limit ${IDS_A_PAGE}`,
      values: [resource, after],
    });
    if (rows.length > 0) yield rows.map(([, id]) => id!);
    if (rows.length < IDS_A_PAGE) return;
    after = rows.at(-1)![0]!;
  }
}

/** The current records found, in the order in which they were asked for; what is missing or removed is absent. Refuses with 413. */
export const createReadCivicRecords =
  (reads: LiveReads, columns: ColumnArrays) =>
  async ({ requests, maxResponseBytes }: RecordsInput): Promise<JsonPage> => {
    const wanted = requests.flatMap(({ resource, ids }) => ids.map((id) => ({ resource, id })));
    const rows = await liveRows(reads, RECORD_HISTORY, {
      name: 'current_records',
      text: ({ history, isLive }) => `select w.ordinal::text, h.version::text, h.changed_at::text,
          case when sum(octet_length(h.body)) over () <= $3::bigint then h.body end
        from unnest($1::text[], $2::uuid[]) with ordinality as w(resource, record_id, ordinal)
        join ${history} h on h.record_id = w.record_id and h.resource = w.resource and h.superseded_at = ${NOT_SUPERSEDED}
        where ${isLive} order by w.ordinal`,
      values: [columns.texts(wanted.map(({ resource }) => resource)), columns.uuids(wanted.map(({ id }) => id)), maxResponseBytes],
    });
    const items = rows.map(([ordinal, version, changedAt, body]) => {
      if (body === null) throw new Rejection('response_too_large', `the records are over ${maxResponseBytes} bytes; ask for fewer ids`);
      const { resource, id } = wanted[Number(ordinal) - 1]!;
      return `{"resource":"${resource}","id":"${id}","version":"${version}","changedAt":"${isoTime(changedAt!)}","data":${body}}`;
    });
    return { text: `{"data":{"items":[${items.join(',')}]}}`, items: items.length };
  };
