import type { JsonPage, RecordsInput } from '../../contract/inputs.ts';
import type { ColumnArrays } from '../../domain/ports/database.ts';
import type { LiveReads } from '../../domain/ports/projection.ts';
import { Rejection } from '../../domain/rejections.ts';
import { liveRows } from '../live-tables.ts';
import { NOT_SUPERSEDED, RECORD_HISTORY } from '../../projections/record-history/tables.ts';

/** The current state of the records found, in the order in which they were asked for (POST /api/v1/data/batch); what is missing or removed is absent. Refuses with 413. */
export const createReadCivicRecords =
  (reads: LiveReads, columns: ColumnArrays) =>
  async ({ requests, maxResponseBytes }: RecordsInput): Promise<JsonPage> => {
    const resources = columns.texts(requests.flatMap(({ resource, ids }) => ids.map(() => resource)));
    const ids = columns.uuids(requests.flatMap((request) => request.ids));
    const rows = await liveRows(reads, RECORD_HISTORY, {
      name: 'current_records',
      text: ({ history, isLive }) => `with found as materialized (
          select w.ordinal, h.resource, h.record_id, h.version, h.changed_at, h.body
          from unnest($1::text[], $2::uuid[]) with ordinality as w(resource, record_id, ordinal)
          join ${history} h on h.record_id = w.record_id and h.resource = w.resource and h.superseded_at = ${NOT_SUPERSEDED}
          where ${isLive}
        ), size as materialized (select coalesce(sum(octet_length(body)), 0) as bytes from found)
        select resource, record_id::text, version::text, changed_at::text, case when (select bytes from size) <= $3::bigint then body end
        from found order by ordinal`,
      values: [resources, ids, maxResponseBytes],
    });
    const items = rows.map(([resource, id, version, changedAt, body]) => {
      if (body === null) throw new Rejection('response_too_large', `the records are over ${maxResponseBytes} bytes; ask for fewer ids`);
      return `{"resource":"${resource}","id":"${id}","version":"${version}","changedAt":"${new Date(Number(changedAt)).toISOString()}","data":${body}}`;
    });
    return { text: `{"data":{"items":[${items.join(',')}]}}`, items: items.length };
  };
